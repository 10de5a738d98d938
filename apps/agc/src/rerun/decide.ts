import type { ConfigMap } from '@interlock/kube';
import type { RerunCause, RerunRecord, RerunResult } from './record.js';

/** A run as GitHub's REST API shows it. */
export interface RunView {
  isCompleted: boolean;
  /** Conclusion, such as `failure`, `cancelled` or `success`. */
  conclusion: string | undefined;
  attempt: number;
  /** The number of jobs that have not ended and are not among those to be run again; 0 if the decision does not need it. */
  othersActive: number;
}

export interface ObservedRerun {
  config: ConfigMap;
  record: RerunRecord;
  maxRetries: number;
  delayMs: number;
  /** How often the run was run again by requests in other records: each lost claim has its own. */
  madeByOthers: number;
  /** Undefined: the run was not read, because the decision does not need it, or is not identified. `gone`: GitHub has no such run. */
  run: RunView | 'gone' | undefined;
  /** The run in which the job of a lost claim was found. */
  found: FoundJob | undefined;
  /** Whether another RunnerGroup waits to run the same run again, which is possible only once for each attempt. */
  isShared: boolean;
}

/** The job of a lost claim, found by its runner. */
export interface FoundJob {
  repository: string;
  runId: string;
  runAttempt: number;
  restJobId: string;
  /** Whether the job was cancelled before its lock expired, so that the service did not end it. */
  isCancelledEarly: boolean;
}

export type RerunDecision =
  | { type: 'wait'; until: number }
  | { type: 'identify'; found: FoundJob }
  /** The attempt is recorded, because a rerun that is made but not recorded is recognized by a later attempt. */
  | { type: 'recordAttempt'; attempt: number }
  | { type: 'cancel' }
  | { type: 'rerun' }
  | { type: 'end'; result: RerunResult; message: string }
  | { type: 'remove' };

/** The shortest and the longest time between reads of a run that GitHub has not concluded. */
const pollMs = 15_000;
const longPollMs = 5 * 60_000;
/** GitHub concludes a job that does not start within 15 minutes, and a cancelled job after 5 more minutes. */
const windowMs = 45 * 60_000;
/** GitHub ends a run after this time: until then, its other jobs may keep it from being concluded. */
const longestRunMs = 35 * 24 * 3_600_000;
/** How long the number of reruns of a run is kept. */
const keptMs = 24 * 3_600_000;
/**
 * The causes for which GitHub does not end the job soon: its run is cancelled if no other job of the run is active. GitHub itself
 * may conclude such a job as cancelled.
 */
const stuckCauses: readonly RerunCause[] = ['abandoned', 'claimLost'];

/** Returns whether the decision about a rerun depends on the other jobs of its run. Pure. */
export function needsJobs({ cause, isCancelled }: Pick<RerunRecord, 'cause' | 'isCancelled'>): boolean {
  return stuckCauses.includes(cause) && !isCancelled;
}

/** Returns when the decision about a rerun needs its run; undefined when it does not need it. Pure. */
export function readAt({ requestedAt, result }: RerunRecord, delayMs: number): number | undefined {
  return result === undefined ? requestedAt + delayMs : undefined;
}

/** Decides the next action for a rerun. Pure; `now` in milliseconds since the epoch. */
export function decideRerun(
  { record, maxRetries, delayMs, madeByOthers, run, found }: ObservedRerun,
  now: number,
): RerunDecision {
  const end = (result: RerunResult, message: string): RerunDecision => ({ type: 'end', result, message });
  if (record.result !== undefined) {
    const until = (record.endedAt ?? record.requestedAt) + keptMs;
    return until <= now ? { type: 'remove' } : { type: 'wait', until };
  }
  const made = record.made + madeByOthers;
  if (made >= maxRetries) {
    return end('exhausted', `the run was already run again ${made} times (spec.maxEvictionRetries)`);
  }
  if (now < record.requestedAt + delayMs) return { type: 'wait', until: record.requestedAt + delayMs };
  const isLate = now > record.requestedAt + windowMs;
  if (record.runId === undefined) {
    if (found !== undefined) {
      return found.isCancelledEarly
        ? end('withheld', `the job of run ${found.runId} of ${found.repository} was cancelled`)
        : { type: 'identify', found };
    }
    return isLate
      ? end('notFound', 'no run has a job on the runner of the claim')
      : { type: 'wait', until: searchAt(record, now) };
  }
  if (run === undefined) return { type: 'wait', until: now + pollMs };
  if (run === 'gone') return end('notFound', 'GitHub has no such run');
  if (record.runAttempt === undefined) return { type: 'recordAttempt', attempt: run.attempt };
  if (run.attempt > record.runAttempt) {
    return end('superseded', `the run is already at attempt ${run.attempt}`);
  }
  if (run.isCompleted) return decideCompleted(record, run);
  if (now > record.requestedAt + longestRunMs) return end('tooLate', 'GitHub has not concluded the run');
  if (needsJobs(record) && run.othersActive === 0) return { type: 'cancel' };
  /* GitHub concludes a run soon after its cancellation. */
  const isEnding = record.isCancelled && stuckCauses.includes(record.cause) && !isLate;
  return { type: 'wait', until: isEnding ? now + pollMs : readAgainAt(record, now) };
}

/**
 * Returns when to read a run again, later each time: other jobs may keep it active for hours, and each read is a call of the REST API,
 * without which no runner can be registered.
 */
function readAgainAt({ requestedAt }: RerunRecord, now: number): number {
  return now + Math.min(longPollMs, Math.max(pollMs, (now - requestedAt) / 4));
}

/** Returns when to search again: a search requires a call for each run, and GitHub shows the runner of a job soon or never. */
function searchAt({ requestedAt }: RerunRecord, now: number): number {
  return now + Math.max(pollMs, now - requestedAt);
}

function decideCompleted({ cause, isCancelled }: RerunRecord, { conclusion }: RunView): RerunDecision {
  if (conclusion === 'success') {
    return { type: 'end', result: 'withheld', message: 'the run has succeeded' };
  }
  if (conclusion === 'cancelled' && !isCancelled && !stuckCauses.includes(cause)) {
    return { type: 'end', result: 'withheld', message: 'the run was cancelled' };
  }
  return { type: 'rerun' };
}
