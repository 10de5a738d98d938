import { container } from './workloads.js';

/** The ServiceAccount of {@link podOfAccount}; the default ServiceAccount of a namespace is created with a delay. */
export const podAccount = 'conformance-pods';

/** Returns a Pod to create, with additional fields of its spec and of its only container. */
export function podOfAccount(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  fields: Readonly<Record<string, unknown>> = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { serviceAccountName: podAccount, containers: [container('app', fields)], ...spec },
  };
}

/** The security context of a container that the restricted level accepts. */
export const restrictedContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
