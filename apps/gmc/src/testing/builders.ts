import { RunnerGroup, type ActionsGateway, type RunnerGroupSpec } from '@interlock/api';
import type { ObservedGateway } from '../gateway/observed.js';
import type { TenantContext } from '../render/context.js';

/** Returns the spec of a RunnerGroup as the API server completes it, with the given changes. */
export function groupOf(changes: Partial<RunnerGroupSpec> = {}): RunnerGroupSpec {
  return {
    ...(RunnerGroup.spec.parse({
      name: 'linux',
      runnerLabels: ['self-hosted', 'linux'],
      podTemplate: {},
    }) as RunnerGroupSpec),
    ...changes,
  };
}

/** Returns a gateway as the API server completes it, with the given changes. */
export function gatewayOf(spec: Partial<ActionsGateway['spec']> = {}): ActionsGateway {
  return {
    apiVersion: 'actions-gateway.github.com/v1alpha1',
    kind: 'ActionsGateway',
    metadata: { name: 'gateway', namespace: 'team-a', uid: 'gateway-uid', generation: 1 },
    spec: {
      gitHubAppRef: { name: 'github-app' },
      gitHubURL: 'https://github.com/acme',
      proxy: {
        minReplicas: 2,
        maxReplicas: 10,
        targetCPUUtilizationPercentage: 60,
        noProxyCIDRs: ['kubernetes.default.svc.cluster.local', 'localhost', '127.0.0.1', '10.96.0.0/12'],
        managedNetworkPolicy: true,
      },
      securityProfile: 'baseline',
      ...spec,
    },
  };
}

/** Settings of a test installation. */
export const tenantContext: TenantContext = {
  installation: {
    version: '0.1.0',
    images: { controller: 'interlock/agc:0.1.0', proxy: 'interlock/egress-proxy:0.1.0' },
    tenantRole: 'interlock-agc',
    apiServer: ['10.96.0.1', 'fd00::1'],
    apiServerRanges: [],
    allowedHosts: ['*.githubusercontent.com'],
    extraRanges: [],
  },
  githubRanges: ['140.82.112.0/20', '2606:50c0::/32'],
  apiServerPorts: [443, 6443],
  credentialSecret: 'github-app',
};

/** Returns an observed gateway whose objects do not exist yet, with the given changes. */
export function observedGateway(changes: Partial<ObservedGateway> = {}): ObservedGateway {
  return {
    gateway: gatewayOf(),
    context: tenantContext,
    isTenant: true,
    problems: [],
    credential: { appId: '1', installationId: '2', privateKey: 'key' },
    caBundle: undefined,
    githubRanges: { ranges: tenantContext.githubRanges ?? [], fetchedAt: Date.parse('2026-01-01T00:00:00Z') },
    areRangesAwaited: false,
    hasEgressRules: false,
    proxy: undefined,
    controller: undefined,
    groups: [],
    served: changes.groups ?? [],
    owned: [],
    strays: [],
    workers: 0,
    ...changes,
  };
}
