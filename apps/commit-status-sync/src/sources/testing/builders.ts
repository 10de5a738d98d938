import {
  apiVersionOf,
  ArgoCDCommitStatus,
  CommitStatus,
  FluxCommitStatus,
  labels,
  PromotionStrategy,
  TimedCommitStatus,
  type CommitStatusPhase,
  type KubeObject,
  type OwnerReference,
} from '@interlock/api';

/** The time of the tests: whole seconds, as the API has them. */
export const now = Date.parse('2026-03-01T12:00:00Z');
export const repository = 'github.com/acme/deployments';
export const repositoryUrl = 'https://github.com/acme/deployments.git';

/** @returns a full SHA that begins with `start`. */
export function sha(start: string): string {
  return start.padEnd(40, '0');
}

const namespace = 'team';
const meta = (name: string, more: object = {}) => ({
  name,
  namespace,
  uid: `uid-${name}`,
  generation: 1,
  ...more,
});

/** @returns a strategy that says what is active; `undefined` for an environment of which it says nothing yet. */
export function strategy(
  active: Record<string, string | undefined>,
  spec: Partial<PromotionStrategy['spec']> = {},
): PromotionStrategy {
  return {
    apiVersion: apiVersionOf(PromotionStrategy),
    kind: PromotionStrategy.kind,
    metadata: meta('app'),
    spec: {
      repoRef: { name: 'deployments' },
      dryBranch: 'main',
      proposedBranchSuffix: '-next',
      environments: Object.keys(active).map((branch) => ({ branch, autoMerge: true })),
      ...spec,
    } as PromotionStrategy['spec'],
    status: {
      environments: Object.entries(active).map(([branch, hydratedSHA]) => ({
        branch,
        ...(hydratedSHA !== undefined && { active: { hydratedSHA } }),
      })),
    },
  };
}

export function argocd(
  spec: Partial<ArgoCDCommitStatus['spec']> = {},
  status?: ArgoCDCommitStatus['status'],
): ArgoCDCommitStatus {
  return {
    apiVersion: apiVersionOf(ArgoCDCommitStatus),
    kind: ArgoCDCommitStatus.kind,
    metadata: meta('health'),
    spec: { promotionStrategyRef: { name: 'app' }, key: 'argocd-health', applicationSelector: {}, ...spec },
    ...(status && { status }),
  };
}

export function flux(
  spec: Partial<FluxCommitStatus['spec']> = {},
  status?: FluxCommitStatus['status'],
): FluxCommitStatus {
  return {
    apiVersion: apiVersionOf(FluxCommitStatus),
    kind: FluxCommitStatus.kind,
    metadata: meta('health'),
    spec: { promotionStrategyRef: { name: 'app' }, key: 'flux-health', ...spec },
    ...(status && { status }),
  };
}

export function timed(
  environments: TimedCommitStatus['spec']['environments'],
  status?: TimedCommitStatus['status'],
): TimedCommitStatus {
  return {
    apiVersion: apiVersionOf(TimedCommitStatus),
    kind: TimedCommitStatus.kind,
    metadata: meta('soak'),
    spec: { promotionStrategyRef: { name: 'app' }, key: 'timer', environments },
    ...(status && { status }),
  };
}

export function commitStatus(
  name: string,
  key: string,
  commit: string,
  phase: CommitStatusPhase,
  more: Partial<KubeObject['metadata']> & { ownerReferences?: OwnerReference[] } = {},
): CommitStatus {
  return {
    apiVersion: apiVersionOf(CommitStatus),
    kind: CommitStatus.kind,
    metadata: { ...meta(name), labels: { [labels.commitStatusKey]: key }, ...more },
    spec: {
      repoRef: { name: 'deployments' },
      sha: commit,
      name: key,
      phase,
      description: `${key} is ${phase}`,
    },
  };
}

/** @returns what a decision says of each environment: `branch: phase`. */
export function phases(status: {
  environments?: { branch: string; phase: string }[] | undefined;
}): Record<string, string> {
  return Object.fromEntries((status.environments ?? []).map(({ branch, phase }) => [branch, phase]));
}
