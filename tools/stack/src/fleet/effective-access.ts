import { createClient } from '@interlock/kube';
import { waitFor } from '../wait-for.js';

/** A rule of a Role or ClusterRole. */
export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** Rules that a binding grants to an app. */
export interface Grant {
  /** Default: all namespaces. */
  namespace?: string | undefined;
  rules: readonly Rule[];
}

/**
 * Waits until the authorizer of the API server has observed the permissions of a service account. The authorizer reads
 * roles and bindings from caches, so this takes a moment.
 *
 * @param kubeconfig a file with a token of the service account
 * @throws Error after a minute
 */
export async function waitForAccess(
  kubeconfig: string,
  app: string,
  grants: readonly Grant[],
): Promise<void> {
  const client = createClient({ kubeConfig: kubeconfig, userAgent: 'stack', defaultFieldManager: 'stack' });
  try {
    for (const { namespace, rules } of grants) {
      const [rule] = rules;
      if (rule === undefined) continue;
      await waitFor(`${app} may ${rule.verbs[0] ?? ''} ${rule.resources[0] ?? ''}`, async () => {
        const { status } = await client.raw<{ status?: { allowed?: boolean } }>({
          method: 'POST',
          path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          body: reviewOf(rule, namespace),
        });
        return status?.allowed;
      });
    }
  } finally {
    await client.close();
  }
}

function reviewOf({ apiGroups, resources, verbs, resourceNames = [] }: Rule, namespace?: string): object {
  const [resource = '', subresource] = (resources[0] ?? '').split('/');
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        group: apiGroups[0] ?? '',
        resource,
        verb: verbs[0] ?? '',
        ...(subresource !== undefined && { subresource }),
        ...(namespace !== undefined && { namespace }),
        ...(resourceNames[0] !== undefined && { name: resourceNames[0] }),
      },
    },
  };
}
