import type { GitOpsResponderConfig, ResponseRoute } from '@interlock/api';

const noop = { kind: 'noop', repository: 'a/b', baseBranch: 'main' } as const;
export const goodRoutes: ResponseRoute[] = [{ match: { actionRef: 'good' }, provider: noop }];
export const badRoutes: ResponseRoute[] = [{ match: { expr: '(' }, provider: noop }];

/** Returns a configuration with these routes. */
export function configOf(
  routes: ResponseRoute[],
  metadata: Partial<GitOpsResponderConfig['metadata']> = {},
  status?: GitOpsResponderConfig['status'],
): GitOpsResponderConfig {
  return {
    apiVersion: 'security.ugallu.io/v1alpha1',
    kind: 'GitOpsResponderConfig',
    metadata: { name: 'default', namespace: 'ugallu-system', uid: 'u-1', generation: 1, ...metadata },
    spec: { routes },
    ...(status !== undefined && { status }),
  };
}
