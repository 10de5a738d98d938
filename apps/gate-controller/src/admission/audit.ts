import { GateOverride, gatingGroup } from '@interlock/api';
import type { Logger } from '@interlock/kube';
import type { AdmissionRequest } from '@interlock/service';

/**
 * Says in the audit log who deletes an override that is not over yet: to delete one that closes may open its gate, and
 * leaves nothing behind that would tell.
 */
export function auditDeletion(
  log: Logger,
  { oldObject, user, dryRun }: AdmissionRequest<GateOverride>,
): void {
  if (oldObject === undefined || dryRun || oldObject.status?.endedAt !== undefined) return;
  const { name, namespace = '' } = oldObject.metadata;
  const { effect, gateRef, reason, ticket } = oldObject.spec;
  log.info(
    {
      controller: 'gatecontroller',
      controllerGroup: gatingGroup,
      controllerKind: GateOverride.kind,
      GateOverride: { namespace, name },
      namespace,
      name,
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
