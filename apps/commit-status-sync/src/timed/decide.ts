import {
  commitStatusAt,
  commitStatusesFor,
  endOfSuccess,
  shortSHA,
  timestampOf,
  type CommitStatus,
  type PromotionStrategy,
  type SourcePhase,
  type TimedCommitStatus,
  type TimedCommitStatusStatus,
  type TimedEnvironment,
} from '@interlock/api';
import { truncate, type Problem } from '@interlock/base';
import { commitStatusOf } from '../sources/child.js';
import {
  firstTakenName,
  obsoleteChildren,
  strategyNotFound,
  takenName,
  unknownEnvironment,
} from '../sources/children.js';
import {
  activeEnvironments,
  worstPhase,
  type ActiveEnvironment,
  type ObservedSource,
  type SourceDecision,
} from '../sources/model.js';
import { wholeSecondsUp } from '../sources/settle.js';
import { sourceConditions } from '../sources/status.js';
import { soak } from './soak.js';

const maxMessage = 1024;

/** What the reports of a TimedCommitStatus depend on. */
export interface ObservedTimed {
  observed: ObservedSource<TimedCommitStatus>;
  /** The CommitStatuses of its namespace. */
  commitStatuses: readonly CommitStatus[];
  /** Keys that TimedCommitStatuses of the strategy report; TimedCommitStatuses do not wait for each other. */
  timerKeys: ReadonlySet<string>;
}

/** Returns what a TimedCommitStatus reports. Pure; `now` in milliseconds since the epoch. */
export function decideTimed(timed: ObservedTimed, now: number): SourceDecision<TimedCommitStatusStatus> {
  const { source, strategy } = timed.observed;
  const environments = strategy === undefined ? [] : activeEnvironments(strategy);
  const stray = unknownEnvironment(source.spec.environments, strategy);
  const problem =
    strategy === undefined ? strategyNotFound(source) : firstTakenName(timed.observed, environments);
  const reports =
    strategy === undefined
      ? []
      : environments.flatMap((environment) => assess(timed, strategy, environment, problem ?? stray, now));
  const states = reports.map(({ state }) => state);
  const requeueAfterMs = Math.min(
    ...reports.map(({ wakeInMs = Infinity }) => wakeInMs),
    problem?.retryAfterMs ?? Infinity,
  );
  return {
    commitStatuses: strategy === undefined ? [] : states.flatMap((state) => child(timed, strategy, state)),
    obsolete: obsoleteChildren(timed.observed, states),
    status: {
      observedGeneration: source.metadata.generation ?? 0,
      conditions: sourceConditions(source, problem ?? stray, states, now),
      phase: problem === undefined ? worstPhase(states.map(({ phase }) => phase)) : 'in_progress',
      environments: states,
    },
    ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs }),
  };
}

interface Assessment {
  state: TimedEnvironment;
  wakeInMs?: number | undefined;
}

/** Returns the state of an environment; an empty list if the environment is not listed and does not wait for a timer. */
function assess(
  timed: ObservedTimed,
  strategy: PromotionStrategy,
  environment: ActiveEnvironment,
  problem: Problem | undefined,
  now: number,
): Assessment[] {
  const { source } = timed.observed;
  const { branch, sha } = environment;
  const listed = source.spec.environments.find((one) => one.branch === branch);
  const keys = activeKeys(strategy, branch);
  if (listed === undefined && !keys.includes(source.spec.key)) return [];
  const state = (phase: SourcePhase, message: string): TimedEnvironment => ({
    branch,
    ...(sha !== undefined && { sha }),
    phase,
    message: truncate(message, maxMessage),
  });
  if (listed === undefined) {
    /* The missing environment may be the misspelt one. */
    return problem === undefined
      ? [{ state: state('success', `spec.environments does not set a duration for ${branch}`) }]
      : [{ state: state('in_progress', problem.message) }];
  }
  if (sha === undefined) {
    return [
      {
        state: state(
          'in_progress',
          `the PromotionStrategy does not yet report the active commit of ${branch}`,
        ),
      },
    ];
  }
  const reported = timed.commitStatuses.map((status) => commitStatusAt(status, now));
  const health = healthOf({ ...timed, commitStatuses: reported }, keys, sha);
  if (typeof health === 'string') return [{ state: state('in_progress', health) }];
  const before = source.status?.environments?.find((one) => one.branch === branch);
  const since = healthySince(before, sha, health) ?? wholeSecondsUp(now);
  const { phase, message, until, wakeInMs } = soak(listed.duration, since, now);
  return [
    {
      state: {
        ...state(phase, message),
        healthySince: timestampOf(since),
        healthyUntil: timestampOf(until),
        watched: health,
      },
      wakeInMs: Math.min(wakeInMs ?? Infinity, ...endsOf(reported, keys, sha).map((end) => end - now)),
    },
  ];
}

/** Returns when CommitStatuses of a commit are no longer successful by themselves, in milliseconds since the epoch. */
function endsOf(statuses: readonly CommitStatus[], keys: readonly string[], sha: string): number[] {
  return keys
    .flatMap((key) => commitStatusesFor(statuses, key, sha))
    .flatMap((status) => endOfSuccess(status) ?? []);
}

type Watched = NonNullable<TimedEnvironment['watched']>;

/** Returns the CommitStatuses that show that a commit is healthy, or why it is not. */
function healthOf(timed: ObservedTimed, keys: readonly string[], sha: string): Watched | string {
  const watched: Watched = [];
  for (const key of keys.filter((one) => !timed.timerKeys.has(one))) {
    const [status, another] = commitStatusesFor(timed.commitStatuses, key, sha);
    if (status === undefined) return `waits for a CommitStatus with key ${key} for ${shortSHA(sha)}`;
    if (another !== undefined) {
      return `CommitStatuses ${status.metadata.name} and ${another.metadata.name} both have key ${key} for ${shortSHA(sha)}; delete one`;
    }
    const { phase, description } = status.spec;
    if (phase !== 'success')
      return `waits for ${key}, which is ${phase}: ${description ?? status.metadata.name}`;
    const { uid = '', generation = 0 } = status.metadata;
    watched.push({ key, uid, generation });
  }
  return watched;
}

/**
 * Returns since when the commit has been healthy, if it cannot have been unhealthy since the status was written. Each
 * state of a CommitStatus has its own generation: if the next generation after a successful one is successful too, there
 * was no failure in between, even unobserved. More than one generation, another object or another key may hide a failure.
 */
function healthySince(
  before: TimedEnvironment | undefined,
  sha: string,
  watched: Watched,
): number | undefined {
  if (before?.healthySince === undefined || before.sha !== sha) return undefined;
  const unbroken = watched.every(({ key, uid, generation }) => {
    const known = before.watched?.find((one) => one.key === key && one.uid === uid);
    return known !== undefined && generation - known.generation <= 1;
  });
  return unbroken ? Date.parse(before.healthySince) : undefined;
}

function activeKeys({ spec }: PromotionStrategy, branch: string): string[] {
  const environment = spec.environments.find((one) => one.branch === branch);
  const selectors = [...(spec.activeCommitStatuses ?? []), ...(environment?.activeCommitStatuses ?? [])];
  return [...new Set(selectors.map(({ key }) => key))];
}

function child({ observed }: ObservedTimed, strategy: PromotionStrategy, state: TimedEnvironment) {
  const { source, children } = observed;
  const { branch, sha, phase, message } = state;
  if (sha === undefined || takenName(source, branch, children) !== undefined) return [];
  return [commitStatusOf(source, strategy, { branch, sha, phase, description: message })];
}
