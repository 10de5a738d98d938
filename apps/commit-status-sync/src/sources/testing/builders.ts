import {
  ArgoCDCommitStatus,
  CommitStatus,
  FluxCommitStatus,
  labels,
  PromotionStrategy,
  TimedCommitStatus,
  typeMeta,
  type CommitStatusPhase,
  type ObjectMeta,
} from '@interlock/api';
import { buildObject } from '@interlock/kube/testing';

/** The time of the tests: whole seconds, as the API has them. */
export const now = Date.parse('2026-03-01T12:00:00Z');
export const repository = 'github.com/acme/deployments';
export const repositoryUrl = 'https://github.com/acme/deployments.git';

/** Returns a full SHA that begins with `start`. */
export function sha(start: string): string {
  return start.padEnd(40, '0');
}

const namespace = 'team';
const meta = (name: string): ObjectMeta => ({ name, namespace, uid: `uid-${name}`, generation: 1 });

/** Returns a strategy that reports the active commits; `undefined` for an environment that it does not report yet. */
export function strategy(
  active: Record<string, string | undefined>,
  spec: Partial<PromotionStrategy['spec']> = {},
): PromotionStrategy {
  return {
    ...typeMeta(PromotionStrategy),
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

const promotionStrategyRef = { name: 'app' };

export const argocd = (
  spec?: Partial<ArgoCDCommitStatus['spec']>,
  status?: ArgoCDCommitStatus['status'],
): ArgoCDCommitStatus =>
  buildObject(
    ArgoCDCommitStatus,
    {
      metadata: meta('health'),
      spec: { promotionStrategyRef, key: 'argocd-health', applicationSelector: {} },
    },
    { spec, status },
  );

export const flux = (
  spec?: Partial<FluxCommitStatus['spec']>,
  status?: FluxCommitStatus['status'],
): FluxCommitStatus =>
  buildObject(
    FluxCommitStatus,
    { metadata: meta('health'), spec: { promotionStrategyRef, key: 'flux-health' } },
    { spec, status },
  );

export const timed = (
  environments: TimedCommitStatus['spec']['environments'],
  status?: TimedCommitStatus['status'],
): TimedCommitStatus =>
  buildObject(
    TimedCommitStatus,
    { metadata: meta('soak'), spec: { promotionStrategyRef, key: 'timer', environments } },
    { status },
  );

export function commitStatus(
  name: string,
  key: string,
  commit: string,
  phase: CommitStatusPhase,
  more: Partial<ObjectMeta> = {},
): CommitStatus {
  const description = `${key} is ${phase}`;
  return buildObject(CommitStatus, {
    metadata: { ...meta(name), labels: { [labels.commitStatusKey]: key }, ...more },
    spec: { repoRef: { name: 'deployments' }, sha: commit, name: key, phase, description },
  });
}

/** Returns the phase of each environment in a decision: `branch: phase`. */
export function phases(status: {
  environments?: { branch: string; phase: string }[] | undefined;
}): Record<string, string> {
  return Object.fromEntries((status.environments ?? []).map(({ branch, phase }) => [branch, phase]));
}
