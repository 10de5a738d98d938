import type { ConfigMap } from '@interlock/kube';
import type { RerunCause, RerunRecord, RerunResult } from './record.js';

/** A run as GitHub's REST API shows it. */
export interface RunView {
  isCompleted: boolean;
  /** Such as `failure`, `cancelled` or `success`. */
  conclusion: string | undefined;
  attempt: number;
  /** Jobs that neither have ended nor are among those to be run again. */
  othersActive: number;
}

export interface ObservedRerun {
  config: ConfigMap;
  record: RerunRecord;
  maxRetries: number;
  delayMs: number;
  /** Undefined: it was not read, because nothing would follow; or it is not known which it is. `gone`: GitHub has none. */
  run: RunView | 'gone' | undefined;
  /** Where the job of a lost claim was found. */
  found: FoundJob | undefined;
}

/** The job that a runner held whose claim was lost. */
export interface FoundJob {
  repository: string;
  runId: string;
  runAttempt: number;
  restJobId: string;
  /** It was cancelled while its lock lasted, so that it was not the service that gave it up. */
  isCancelledEarly: boolean;
}

export type RerunDecision =
  | { type: 'wait'; until: number }
  | { type: 'identify'; found: FoundJob }
  | { type: 'cancel' }
  | { type: 'rerun' }
  | { type: 'end'; result: RerunResult; message: string }
  | { type: 'remove' };

const pollMs = 15_000;
/** GitHub concludes a job that did not start after 15 minutes, and a cancelled one after 5 more. */
const windowMs = 45 * 60_000;
/** A budget counts for so long. */
const keptMs = 24 * 3_600_000;
/**
 * Of these jobs GitHub knows nothing that would end them soon: their run is cancelled, if nothing else of it is active. GitHub itself
 * may conclude them as cancelled.
 */
const stuckCauses: readonly RerunCause[] = ['abandoned', 'claimLost'];

/** Returns when the run of a rerun has to be read for a decision; undefined: not at all. Pure. */
export function readAt({ requestedAt, result }: RerunRecord, delayMs: number): number | undefined {
  return result === undefined ? requestedAt + delayMs : undefined;
}

/** Decides what is done about a rerun. Pure; `now` in milliseconds since the epoch. */
export function decideRerun(
  { record, maxRetries, delayMs, run, found }: ObservedRerun,
  now: number,
): RerunDecision {
  const end = (result: RerunResult, message: string): RerunDecision => ({ type: 'end', result, message });
  if (record.result !== undefined) {
    const until = (record.endedAt ?? record.requestedAt) + keptMs;
    return until <= now ? { type: 'remove' } : { type: 'wait', until };
  }
  if (record.made >= maxRetries) {
    return end('exhausted', `the run was run again ${record.made} times already (spec.maxEvictionRetries)`);
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
      ? end('notFound', 'no run has a job on that runner')
      : { type: 'wait', until: searchAt(record, now) };
  }
  if (run === undefined) return { type: 'wait', until: now + pollMs };
  if (run === 'gone') return end('notFound', 'GitHub has no such run');
  if (record.runAttempt !== undefined && run.attempt > record.runAttempt) {
    return end('superseded', `the run is at attempt ${run.attempt} already`);
  }
  if (run.isCompleted) return decideCompleted(record, run);
  if (isLate) return end('tooLate', 'GitHub has not concluded the run');
  const isAlone = run.othersActive === 0 && !record.isCancelled;
  return stuckCauses.includes(record.cause) && isAlone
    ? { type: 'cancel' }
    : { type: 'wait', until: now + pollMs };
}

/** A search takes a call for each run; GitHub shows the runner of a job soon, or there is none. */
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
