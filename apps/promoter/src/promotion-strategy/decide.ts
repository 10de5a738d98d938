import {
  conditions,
  keyOf,
  timestampOf,
  type Condition,
  type EnvironmentStatus,
  type ObjectKey,
  type PromotionStrategy,
  type PromotionStrategyStatus,
} from '@interlock/api';
import {
  markReady,
  markReconciling,
  markStalled,
  setCondition,
  type ApplyConfiguration,
} from '@interlock/kube';
import { environmentProblem } from '../promotion/branches.js';
import { blockedTimes } from '../promotion/blocked.js';
import { blocking, since } from '../promotion/checks.js';
import { followFailures } from '../promotion/failures.js';
import { isProposing, type CheckLine, type HydratedCommit } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { evaluateRules } from '../promotion/rules.js';
import { aggregate } from '../promotion/statuses.js';
import { promotionStatus, proposedCommit } from './children.js';
import { strategyProblem } from './problem.js';
import type { EnvironmentTransitions } from '../promotion/metrics.js';
import { isUnavailable, type ObservedStrategy, type StrategyEnvironment } from './observed.js';

const healthyKept = 5;

export interface StrategyDecision {
  /** Children to apply. */
  proposedCommits: ApplyConfiguration[];
  /** Children of environments that the strategy no longer has. */
  obsolete: ObjectKey[];
  commitStatuses: ApplyConfiguration[];
  status: PromotionStrategyStatus;
  /** What happened between the status before and this one, to be counted when it is written. */
  transitions: EnvironmentTransitions[];
}

/** @returns what is to be applied for a strategy. Pure; `now` in milliseconds since the epoch. */
export function decideStrategy(observed: ObservedStrategy, now: number): StrategyDecision {
  const { strategy } = observed;
  const problem = strategyProblem(strategy);
  if (problem !== undefined) {
    return nothingNew(observed, markStalled(strategy.status?.conditions, problem, generation(strategy), now));
  }
  const wanted = strategy.spec.environments.map((environment) => proposedCommit(strategy, environment));
  const names = new Set(wanted.map((child) => child.metadata.name));
  const children = {
    proposedCommits: wanted,
    obsolete: observed.children.map(keyOf).filter((key) => !names.has(key.name)),
  };
  if (isUnavailable(observed.environments)) {
    const known = strategy.status?.conditions;
    const waiting = markReconciling(known, observed.environments, generation(strategy), now);
    return { ...nothingNew(observed, waiting), ...children };
  }
  return { ...children, ...promote(observed, observed.environments, now) };
}

function promote(observed: ObservedStrategy, all: readonly StrategyEnvironment[], now: number) {
  const { strategy } = observed;
  const environments = new Environments(all);
  const commitStatuses: ApplyConfiguration[] = [];
  const statuses: EnvironmentStatus[] = [];
  const transitions: EnvironmentTransitions[] = [];
  for (const environment of all) {
    const lines = isProposing(environment) ? evaluateRules(environments, environment, observed.descends) : [];
    if (lines.length > 0 && environment.proposed !== undefined) {
      commitStatuses.push(promotionStatus(strategy, environment, environment.proposed.hydratedSHA, lines));
    }
    const before = strategy.status?.environments?.find(({ branch }) => branch === environment.branch);
    const { lastFailure, ...outcome } = followFailures(before, environment, now);
    const after = environmentStatus(before, environments, environment, lines, now);
    statuses.push({ ...after, ...(lastFailure && { lastFailure }) });
    transitions.push({
      ...outcome,
      branch: environment.branch,
      deployments: environment.deployments,
      blocked: blockedTimes(before?.checks, after.checks, now),
    });
  }
  return {
    commitStatuses,
    transitions,
    status: {
      observedGeneration: generation(strategy),
      conditions: strategyConditions(strategy, all, statuses, now),
      environments: statuses,
    },
  };
}

function environmentStatus(
  before: EnvironmentStatus | undefined,
  environments: Environments,
  environment: StrategyEnvironment,
  lines: readonly CheckLine[],
  now: number,
): EnvironmentStatus {
  const drySHA = environments.activeDrySHA(environment);
  const health = aggregate(environment.activeStatuses);
  return {
    branch: environment.branch,
    ...(environment.active && {
      active: {
        ...(drySHA !== undefined && { drySHA }),
        hydratedSHA: environment.active.hydratedSHA,
        commitStatus: health,
      },
    }),
    ...(environment.proposed && {
      proposed: {
        ...(environment.proposed.drySHA !== undefined && { drySHA: environment.proposed.drySHA }),
        hydratedSHA: environment.proposed.hydratedSHA,
        commitStatus: aggregate(environment.proposedStatuses),
      },
    }),
    checks: since(lines, before?.checks, now),
    lastHealthyDrySHAs: lastHealthy(before, environment.active, drySHA, health, now),
    history: [...environment.history],
  };
}

/** @returns the dry commits that were healthy, newest first; appended once when all active statuses are successful. */
function lastHealthy(
  before: EnvironmentStatus | undefined,
  active: HydratedCommit | undefined,
  drySHA: string | undefined,
  health: ReturnType<typeof aggregate>,
  now: number,
): NonNullable<EnvironmentStatus['lastHealthyDrySHAs']> {
  const known = before?.lastHealthyDrySHAs ?? [];
  if (active === undefined || drySHA === undefined || health !== 'healthy') return known;
  const [newest] = known;
  if (newest?.sha === drySHA && newest.hydratedSHA === active.hydratedSHA) return known;
  const entry = {
    sha: drySHA,
    time: timestampOf(now),
    hydratedSHA: active.hydratedSHA,
    treeSHA: active.treeSHA,
  };
  return [entry, ...known.filter((other) => other.sha !== drySHA)].slice(0, healthyKept);
}

function strategyConditions(
  strategy: PromotionStrategy,
  all: readonly StrategyEnvironment[],
  statuses: readonly EnvironmentStatus[],
  now: number,
): Condition[] {
  const known = strategy.status?.conditions;
  const broken = all.flatMap((environment) => environmentProblem(environment) ?? []);
  const [first] = broken;
  const ready = first
    ? markReconciling(
        known,
        { reason: first.reason, message: broken.map((problem) => problem.message).join('; ') },
        generation(strategy),
        now,
      )
    : markReady(
        known,
        { reason: 'Reconciled', message: `${all.length} environments` },
        generation(strategy),
        now,
      );
  const waiting = statuses.flatMap((status) => {
    const block = blocking(status.checks ?? []);
    return block ? [`${status.branch}: ${block.message}`] : [];
  });
  const promoting = all.filter(isProposing);
  return setCondition(
    ready,
    promoting.length === 0
      ? {
          type: conditions.promoted,
          status: 'True',
          reason: 'UpToDate',
          message: 'every environment runs what is proposed for it',
        }
      : {
          type: conditions.promoted,
          status: 'False',
          reason: waiting.length > 0 ? 'Waiting' : 'Promoting',
          message:
            waiting[0] ?? `promoting to ${promoting.map((environment) => environment.branch).join(', ')}`,
        },
    generation(strategy),
    now,
  );
}

function nothingNew({ strategy }: ObservedStrategy, conditionList: Condition[]): StrategyDecision {
  return {
    proposedCommits: [],
    obsolete: [],
    commitStatuses: [],
    transitions: [],
    status: {
      ...strategy.status,
      observedGeneration: generation(strategy),
      conditions: conditionList,
    },
  };
}

function generation(strategy: PromotionStrategy): number {
  return strategy.metadata.generation ?? 0;
}
