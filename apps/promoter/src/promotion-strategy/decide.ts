import {
  conditions,
  keyOf,
  timestampOf,
  type CommitStatus,
  type Condition,
  type EnvironmentStatus,
  type ObjectKey,
  type PromotionStrategy,
  type PromotionStrategyStatus,
  type ProposedCommit,
} from '@interlock/api';
import { isProblem } from '@interlock/base';
import { markProblem, markReconciling, markWhile, type ApplyConfiguration } from '@interlock/kube';
import { blockedTimes } from '../promotion/blocked.js';
import { checkOf, since } from '../promotion/checks.js';
import { followFailures } from '../promotion/failures.js';
import type { EnvironmentTransitions } from '../promotion/metrics.js';
import { isProposing, laterTip, type CheckLine, type DryBranch } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { shownName } from '../promotion/promotion-status.js';
import { besideRules, evaluateRules, isRule } from '../promotion/rules.js';
import { aggregate } from '../promotion/statuses.js';
import { finishesInFlight, promotionStatusNameOf } from '../promotion/strategy-spec.js';
import { autoReverts, type AutoReverts } from './auto-revert.js';
import { promotionStatus, proposedCommit } from './children.js';
import { strategyConditions } from './conditions.js';
import { chooseProposals, type Proposals } from './in-flight.js';
import { lastHealthy } from './last-healthy.js';
import { strategyProblem } from './problem.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';
import { takenNameProblem } from './taken-names.js';
import { unmergedLine } from './unmerged.js';

export interface StrategyDecision {
  /** Children to apply. */
  proposedCommits: (ApplyConfiguration & ProposedCommit)[];
  /** Children of environments that the strategy no longer has. */
  obsolete: ObjectKey[];
  commitStatuses: (ApplyConfiguration & CommitStatus)[];
  reverts: Pick<AutoReverts, 'create' | 'obsolete'>;
  status: PromotionStrategyStatus;
  /** Transitions from the previous status to this one, which are counted when it is written. */
  transitions: EnvironmentTransitions[];
  /** Milliseconds until the next decision is due. */
  requeueAfterMs?: number | undefined;
}

/** Returns what is to be applied for a strategy. Pure; `now` in milliseconds since the epoch. */
export function decideStrategy(observed: ObservedStrategy, now: number): StrategyDecision {
  const { strategy, environments } = observed;
  const problem = strategyProblem(strategy, observed.siblings) ?? takenNameProblem(strategy, observed.others);
  if (problem !== undefined) {
    const stalled = markProblem(strategy.status?.conditions, problem, generation(strategy), now);
    return { ...nothingNew(observed, stalled), requeueAfterMs: problem.retryAfterMs };
  }
  if (isProblem(environments)) {
    const known = strategy.status?.conditions;
    const waiting = markReconciling(known, environments, generation(strategy), now);
    return { ...nothingNew(observed, waiting), ...childrenOf(observed, lastPinned(observed)) };
  }
  const proposals = chooseProposals(observed, environments);
  const pinned = new Map(proposals.environments.map((one) => [one.branch, one.pinned]));
  return { ...childrenOf(observed, pinned), ...promote(observed, proposals, now) };
}

/** @param pinned for each environment branch, the commit that is proposed from its own branch. */
function childrenOf(
  { strategy, children }: ObservedStrategy,
  pinned: ReadonlyMap<string, string | undefined>,
): Pick<StrategyDecision, 'proposedCommits' | 'obsolete'> {
  const proposedCommits = strategy.spec.environments.map((environment) =>
    proposedCommit(strategy, environment, pinned.get(environment.branch)),
  );
  const names = new Set(proposedCommits.map(({ metadata }) => metadata.name));
  return { proposedCommits, obsolete: children.map(keyOf).filter((key) => !names.has(key.name)) };
}

/* While the repository cannot be read, the last proposals remain. */
function lastPinned({ strategy, children }: ObservedStrategy): Map<string, string | undefined> {
  if (!finishesInFlight(strategy)) return new Map();
  return new Map(children.map(({ spec }) => [spec.activeBranch, spec.proposedSHA]));
}

function promote(observed: ObservedStrategy, { environments: all, overtaken }: Proposals, now: number) {
  const { strategy } = observed;
  const environments = new Environments(all);
  const commitStatuses: StrategyDecision['commitStatuses'] = [];
  const statuses: EnvironmentStatus[] = [];
  const transitions: EnvironmentTransitions[] = [];
  for (const environment of all) {
    const lines = isProposing(environment)
      ? evaluateRules(environments, environment, observed.dryBranch)
      : [];
    if (lines.length > 0 && environment.proposed !== undefined) {
      const { hydratedSHA: proposedSHA } = environment.proposed;
      const fixed = promotionStatusNameOf(strategy, environment.branch);
      const name = shownName(fixed, environments, environment);
      commitStatuses.push(promotionStatus(strategy, environment, { proposedSHA, name }, lines));
    }
    const before = strategy.status?.environments?.find(({ branch }) => branch === environment.branch);
    const { lastFailure, ...outcome } = followFailures(before, environment, now);
    const unmerged = unmergedLine(observed.children, environment);
    const shown = unmerged === undefined ? lines : [...lines, unmerged];
    const after = environmentStatus(before, observed.dryBranch, environments, environment, shown, now);
    statuses.push({ ...after, ...(lastFailure && { lastFailure }) });
    transitions.push({
      ...outcome,
      branch: environment.branch,
      deployments: environment.deployments,
      /* The checks of keys are counted with the ProposedCommit. */
      blocked: blockedTimes(before?.checks?.filter(isRule), after.checks?.filter(isRule), now),
    });
  }
  const { wakeAt, blocked, ...reverts } = autoReverts(strategy, all, statuses, observed.reverts, now);
  const known = strategyConditions(observed, environments, statuses, now);
  return {
    commitStatuses,
    transitions,
    reverts,
    status: {
      observedGeneration: generation(strategy),
      conditions: markWhile(
        known,
        { type: conditions.revertBlocked, because: blocked },
        generation(strategy),
        now,
      ),
      ...(observed.dryBranch.tipSHA !== undefined && { dryTipSHA: observed.dryBranch.tipSHA }),
      environments: statuses,
      ...(overtaken !== undefined && { overtakenDrySHA: overtaken }),
    },
    requeueAfterMs: wakeAt === undefined ? undefined : wakeAt - now,
  };
}

function environmentStatus(
  before: EnvironmentStatus | undefined,
  dryBranch: DryBranch,
  environments: Environments,
  environment: StrategyEnvironment,
  lines: readonly CheckLine[],
  now: number,
): EnvironmentStatus {
  const drySHA = environments.activeDrySHA(environment);
  const health = aggregate(environment.activeStatuses);
  const failing = failingSince(before, environment, now);
  const behind = drySHA === undefined ? undefined : dryBranch.behind(drySHA);
  return {
    branch: environment.branch,
    ...(behind !== undefined && { behind }),
    ...(environment.active && {
      active: {
        ...(drySHA !== undefined && { drySHA }),
        hydratedSHA: environment.active.hydratedSHA,
        ...laterTip(environment),
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
    checks: since([...lines, ...keyLines(environment, lines)], before?.checks, now),
    ...(failing !== undefined && { failingSince: failing }),
    lastHealthyDrySHAs: lastHealthy(before, environment, drySHA, health === 'healthy', now),
    history: [...environment.history],
  };
}

/** Returns a line for each key that the proposed commit requires; none while nothing is proposed. */
function keyLines({ proposedStatuses }: StrategyEnvironment, rules: readonly CheckLine[]): CheckLine[] {
  if (rules.length === 0) return [];
  return proposedStatuses.map(checkOf).map(besideRules);
}

/** Returns since when an active CommitStatus of the active commit has failed. The time is kept while the commit is the same. */
function failingSince(
  before: EnvironmentStatus | undefined,
  { active, activeStatuses }: StrategyEnvironment,
  now: number,
): string | undefined {
  if (active === undefined || !activeStatuses.some(({ phase }) => phase === 'failure')) return undefined;
  const known = before?.active?.hydratedSHA === active.hydratedSHA ? before.failingSince : undefined;
  return known ?? timestampOf(now);
}

function nothingNew({ strategy }: ObservedStrategy, conditionList: Condition[]): StrategyDecision {
  return {
    proposedCommits: [],
    obsolete: [],
    commitStatuses: [],
    transitions: [],
    reverts: { create: [], obsolete: [] },
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
