import type { GateOverride } from '@interlock/api';
import type { Logger } from '@interlock/kube';
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
