import type { Gate, GateKeeper, GateOverride } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { AdmissionRequest } from '@interlock/service';
import { logSubject } from '../log-subject.js';

/**
 * Says in the audit log who deletes an override that is not over yet: to delete one that closes may open its gate, and
 * leaves nothing behind that would tell.
 */
export function auditDeletion(
  log: Logger,
  { oldObject, user, dryRun }: AdmissionRequest<GateOverride>,
): void {
  if (oldObject === undefined || dryRun || oldObject.status?.endedAt !== undefined) return;
  const { effect, gateRef, reason, ticket } = oldObject.spec;
  log.info(
    {
      ...logSubject(oldObject),
      gate: gateRef.name,
      effect,
      actor: user.username,
      madeBy: oldObject.status?.actor,
      reason,
      ...(ticket !== undefined && { ticket }),
    },
    `deleting override: '${reason}'`,
  );
}

/** Logs who deletes a gate, or a keeper: its gate may change, and the object that has its author is gone. */
export function auditDeletionOf(
  log: Logger,
  { oldObject, user, dryRun }: AdmissionRequest<Gate | GateKeeper>,
): void {
  if (oldObject === undefined || dryRun) return;
  const { kind } = oldObject;
  const gate = 'gate' in oldObject.spec ? oldObject.spec.gate : oldObject.metadata.name;
  log.info({ ...logSubject(oldObject), gate, actor: user.username }, `deleting ${kind}`);
}
