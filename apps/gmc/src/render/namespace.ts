import type { ActionsGateway } from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';
import { namespaceOf } from './context.js';

const modes = ['enforce', 'audit', 'warn'] as const;

/**
 * The field manager of the labels of a namespace. It differs from the field manager of other objects, because a namespace belongs
 * to the platform team.
 */
export const namespaceFieldManager = 'interlock-gmc-pod-security';

/** Returns the Pod Security labels for the namespace of a gateway, from its `spec.securityProfile`. */
export function namespaceLabels(gateway: ActionsGateway): ApplyConfiguration {
  const { securityProfile } = gateway.spec;
  const labels = Object.fromEntries(
    modes.flatMap((mode) => [
      [`pod-security.kubernetes.io/${mode}`, securityProfile],
      [`pod-security.kubernetes.io/${mode}-version`, 'latest'],
    ]),
  );
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(gateway), labels } };
}
