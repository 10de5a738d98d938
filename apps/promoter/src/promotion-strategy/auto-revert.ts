import {
  keyOf,
  RevertCommit,
  shortSHA,
  typeMeta,
  type EnvironmentStatus,
  type ObjectKey,
  type PromotionEnvironment,
  type PromotionStrategy,
} from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { childName, isControlledBy, type ApplyConfiguration, type ConditionReason } from '@interlock/kube';
import type { HydratedCommit } from '../promotion/model.js';
import { revertPolicyOf, type ResolvedRevertPolicy } from '../promotion/strategy-spec.js';
import { childMetadata } from './children.js';
import { healthyTarget } from './last-healthy.js';
import type { StrategyEnvironment } from './observed.js';

const hourMs = 3_600_000;
const keptMs = 24 * hourMs;

/** The reverts that follow from failing environments. */
export interface AutoReverts {
  /** RevertCommits to create; an existing one is not changed. */
  create: ApplyConfiguration[];
  /** RevertCommits that the policy created and that have ended. */
  obsolete: ObjectKey[];
  /** The first environment that fails and cannot be reverted. */
  blocked?: ConditionReason | undefined;
  /** When something falls due, in milliseconds since the epoch. */
  wakeAt?: number;
}

interface Failing {
  strategy: PromotionStrategy;
  spec: PromotionEnvironment;
  policy: ResolvedRevertPolicy;
  environment: StrategyEnvironment;
  active: HydratedCommit;
  /** The status that will be written. */
  status: EnvironmentStatus;
}

type RevertOutcome =
  { create: ApplyConfiguration } | { blocked: ConditionReason; wakeAt?: number } | { wakeAt: number };

/**
 * Returns the reverts that the policies require. Pure; `now` in milliseconds since the epoch.
 * @param statuses of the environments, in their order, as they will be written.
 */
export function autoReverts(
  strategy: PromotionStrategy,
  environments: readonly StrategyEnvironment[],
  statuses: readonly EnvironmentStatus[],
  reverts: readonly RevertCommit[],
  now: number,
): AutoReverts {
  const made = reverts.filter((revert) => isControlledBy(revert, strategy));
  const outcomes = environments.flatMap((environment, position): RevertOutcome[] => {
    const [spec, status] = [strategy.spec.environments[position], statuses[position]];
    const { active } = environment;
    if (spec === undefined || status?.failingSince === undefined || active === undefined) return [];
    const policy = revertPolicyOf(strategy, spec);
    if (policy.mode === 'Off') return [];
    const outcome = outcomeOf({ strategy, spec, policy, environment, active, status }, made, now);
    return outcome === undefined ? [] : [outcome];
  });
  const blocked = outcomes.flatMap((outcome) => ('blocked' in outcome ? [outcome.blocked] : []))[0];
  const times = outcomes.flatMap((outcome) => ('wakeAt' in outcome ? [outcome.wakeAt] : []));
  return {
    create: outcomes.flatMap((outcome) => ('create' in outcome ? [outcome.create] : [])),
    obsolete: made.filter((revert) => isOver(revert, environments, now)).map(keyOf),
    blocked,
    ...(times.length > 0 && { wakeAt: Math.min(...times) }),
  };
}

function outcomeOf(failing: Failing, made: readonly RevertCommit[], now: number): RevertOutcome | undefined {
  const { policy, environment, active, status } = failing;
  const dueAt = Date.parse(status.failingSince ?? '') + policy.afterFailedForMs;
  if (now < dueAt) return { wakeAt: dueAt };
  const { branch } = environment;
  if (active.revertOf !== undefined) {
    const message = `${branch} fails after it was reverted; a revert is not reverted automatically: push a newer dry commit that fixes it, or create a RevertCommit`;
    return { blocked: { reason: 'AlreadyReverted', message } };
  }
  const here = made.filter(({ spec }) => spec.activeBranch === branch);
  if (here.some(({ spec }) => spec.revertOf === active.hydratedSHA) || environment.reverts.length > 0) {
    return undefined;
  }
  const recent = here.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') + hourMs);
  const counting = recent.filter((until) => until > now);
  if (counting.length >= policy.maxPerHour) {
    const message = `${branch} fails, but was already reverted ${counting.length} times within an hour (revertPolicy.maxPerHour is ${policy.maxPerHour})`;
    return {
      blocked: { reason: 'TooManyReverts', message },
      wakeAt: Math.min(...counting),
    };
  }
  const target = healthyTarget(status.lastHealthyDrySHAs, active, status.active?.drySHA);
  if (target === undefined) {
    const message = `${branch} fails, but no other commit is known to have been healthy there; create a RevertCommit that names a target`;
    return { blocked: { reason: 'NoHealthyCommit', message } };
  }
  return { create: revertCommit(failing, target.sha) };
}

function revertCommit(
  { strategy, policy, environment, active }: Failing,
  drySHA: string,
): ApplyConfiguration {
  const { branch } = environment;
  const failed = environment.activeStatuses
    .filter(({ phase }) => phase === 'failure')
    .map(({ key, message }) => `${key}: ${message}`);
  const metadata = childMetadata(strategy, branch, branch);
  return {
    ...typeMeta(RevertCommit),
    metadata: {
      ...metadata,
      /* The name depends on strategy, environment and commit, so that a commit is reverted automatically only once. */
      name: childName(strategy.metadata.name, branch, active.hydratedSHA.slice(0, 12)),
    },
    spec: {
      repoRef: strategy.spec.repoRef,
      activeBranch: branch,
      ...(environment.activePath !== undefined && { activePath: environment.activePath }),
      drySHA,
      revertOf: active.hydratedSHA,
      mode: policy.mode,
      reason: prefixOf(`${shortSHA(active.drySHA)} is not healthy: ${failed.join('; ')}`, 512),
    },
  };
}

/* A rejected one stays while its commit is active, because it prevents another one. */
function isOver(revert: RevertCommit, environments: readonly StrategyEnvironment[], now: number): boolean {
  const { metadata, spec, status } = revert;
  const environment = environments.find(({ branch }) => branch === spec.activeBranch);
  if (status?.state === undefined || status.inForce !== false) return false;
  if (environment?.active?.hydratedSHA === status.revertOf) return false;
  return Date.parse(metadata.creationTimestamp ?? '') + keptMs <= now;
}
