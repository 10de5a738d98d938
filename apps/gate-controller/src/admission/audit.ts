import type { Gate, GateKeeper, GateOverride } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { AdmissionRequest } from '@interlock/service';
import { logSubject } from '../log-subject.js';

/**
 * Logs who deletes an override that has not ended: the deletion of a Close may open its gate, and leaves no other
 * trace.
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
      ticket,
    },
    `deleting override: '${reason}'`,
  );
}

/**
 * Logs who deletes a gate or a keeper: the state of the gate may change, and the object that records its author is
 * gone.
 */
export function auditDeletionOf(
  log: Logger,
  { oldObject, user, dryRun }: AdmissionRequest<Gate | GateKeeper>,
): void {
  if (oldObject === undefined || dryRun) return;
  const { kind } = oldObject;
  const gate = 'gate' in oldObject.spec ? oldObject.spec.gate : oldObject.metadata.name;
  log.info({ ...logSubject(oldObject), gate, actor: user.username }, `deleting ${kind}`);
}
