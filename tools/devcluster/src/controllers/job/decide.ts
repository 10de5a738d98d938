import { formatSeconds, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { isActive, isReady, isTerminating, numberAt } from '../pod-state.js';
import { decidedEnding, ensureCondition, isEnded, type Ending } from './conditions.js';
import { matchFailurePolicy } from './failure-policy.js';
import { hasFailed, isSuspended, restartsTooOften } from './job-pods.js';
import { managePods } from './manage.js';
import { addEnded, failures, startTally, successes, tallyStatus, type Tally } from './tally.js';

/** The inputs of a decision about a Job. */
interface JobState {
  job: KubeObject;
  /** The pods that the Job owns. */
  pods: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** An event about a Job. */
export interface JobNote {
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
}

/** The writes, in this order. */
export interface JobPlan {
  /** The index of each pod to create; undefined in a Job without indexes. */
  create: (number | undefined)[];
  remove: KubeObject[];
  /** Whether the removed pods count as failed; if not, their finalizer is removed before the pods are deleted. */
  countsRemoved: boolean;
  /** `active` includes the pods to create. */
  status: JsonObject;
  /** Pods whose finalizer is removed once the status is written. */
  untrack: KubeObject[];
  notes: JobNote[];
  /** Milliseconds after which the Job has to be processed again. */
  waitMs: number | undefined;
}

/**
 * Returns the changes of one pass for a Job, or undefined if it has ended. Source: Kubernetes pkg/controller/job,
 * syncJob.
 */
export function decide({ job, pods, now }: JobState): JobPlan | undefined {
  if (isEnded(job)) return undefined;
  const active = pods.filter(isActive);
  const tally = startTally(job, pods);
  const earlier = decidedEnding(job);
  addEnded(tally, job, pods, earlier?.succeeded === false);
  const failure = earlier ?? failureOf(job, pods, tally, now);
  if (failure !== undefined && earlier === undefined) addEnded(tally, job, pods, true);
  const isGoing = job.metadata.deletionTimestamp !== undefined;
  if (failure !== undefined || isGoing) {
    const remove = failure === undefined ? [] : active;
    const plan: Draft = { create: [], remove, countsRemoved: true, backoffMs: 0 };
    return planOf({ job, pods, now }, tally, plan, failure ?? successOf(job, tally, active.length));
  }
  const changes = managePods(job, pods, active, tally, now);
  const left = active.length - changes.remove.length + changes.create.length;
  return planOf({ job, pods, now }, tally, { ...changes, countsRemoved: false }, successOf(job, tally, left));
}

type Draft = Pick<JobPlan, 'create' | 'remove' | 'countsRemoved'> & { backoffMs: number };

function failureOf(
  job: KubeObject,
  pods: readonly KubeObject[],
  tally: Tally,
  now: number,
): Ending | undefined {
  for (const pod of pods.filter((one) => hasFailed(one, job))) {
    const match = matchFailurePolicy(job, pod);
    if (match?.action === 'FailJob') {
      return { succeeded: false, reason: 'PodFailurePolicy', message: match.message };
    }
  }
  const limit = numberAt(job, ['spec', 'backoffLimit'], 6);
  if (failures(tally) > limit || restartsTooOften(job, pods, limit)) {
    const message = 'Job has reached the specified backoff limit';
    return { succeeded: false, reason: 'BackoffLimitExceeded', message };
  }
  if (untilDeadline(job, now) === 0) {
    const message = 'Job was active longer than specified deadline';
    return { succeeded: false, reason: 'DeadlineExceeded', message };
  }
  return undefined;
}

/** Returns the milliseconds until the Job has been active too long; undefined without a deadline or a start. */
function untilDeadline(job: KubeObject, now: number): number | undefined {
  const seconds = valueAt(job, 'spec', 'activeDeadlineSeconds');
  const start = Date.parse(textAt(job, 'status', 'startTime'));
  if (typeof seconds !== 'number' || Number.isNaN(start) || isSuspended(job)) return undefined;
  return Math.max(0, start + seconds * 1000 - now);
}

/** Returns the end of a Job with enough successes and no pod left that may still run. */
function successOf(job: KubeObject, tally: Tally, active: number): Ending | undefined {
  const completions = valueAt(job, 'spec', 'completions');
  const succeeded = successes(tally, job);
  const isEnough = typeof completions === 'number' ? succeeded >= completions : succeeded > 0;
  if (!isEnough || active > 0) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { succeeded: true, reason: 'CompletionsReached', message };
}

function planOf(state: JobState, tally: Tally, draft: Draft, ending: Ending | undefined): JobPlan {
  const { job, pods, now } = state;
  const notes: JobNote[] = [];
  const left = pods.filter((pod) => isActive(pod) && !draft.remove.includes(pod));
  const terminating = pods.filter(isTerminating).length;
  const active = left.length + draft.create.length;
  const isSettled =
    tally.untrack.size === 0 && terminating === 0 && active === 0 && draft.remove.length === 0;
  const suspension = suspend(job, ending, notes, now);
  const startTime = startOf(job, suspension.resumed, now);
  const conditions = end(suspension.conditions, ending, isSettled, notes, now);
  const status: JsonObject = {
    ...(conditions.length > 0 && { conditions }),
    ...(startTime !== '' && { startTime }),
    ...(ending?.succeeded === true && isSettled && { completionTime: formatSeconds(new Date(now)) }),
    ...(active > 0 && { active }),
    ready: left.filter(isReady).length,
    terminating: terminating + draft.remove.length,
    ...tallyStatus(tally, job),
  };
  const waits = [untilDeadline({ ...job, status }, now), draft.backoffMs].filter(
    (ms): ms is number => ms !== undefined && ms > 0,
  );
  return {
    create: draft.create,
    remove: draft.remove,
    countsRemoved: draft.countsRemoved,
    untrack: [...tally.untrack],
    status,
    notes,
    waitMs: ending !== undefined || waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Returns the conditions that state whether the Job is suspended. */
function suspend(
  job: KubeObject,
  ending: Ending | undefined,
  notes: JobNote[],
  now: number,
): { conditions: JsonObject[]; resumed: boolean } {
  const present = objectsAt(job, 'status', 'conditions');
  if (ending !== undefined || job.metadata.deletionTimestamp !== undefined) {
    return { conditions: present, resumed: false };
  }
  const [status, word] = isSuspended(job)
    ? (['True', 'Suspended'] as const)
    : (['False', 'Resumed'] as const);
  const message = `Job ${word.toLowerCase()}`;
  const { conditions, changed } = ensureCondition(
    present,
    'Suspended',
    status,
    { reason: `Job${word}`, message },
    now,
  );
  if (changed) notes.push({ type: 'Normal', reason: word, note: message });
  return { conditions, resumed: changed && status === 'False' };
}

/** Returns the start of a Job, which starts when it is not suspended, and again when it is resumed. */
function startOf(job: KubeObject, resumed: boolean, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  if (isSuspended(job) || (start !== '' && !resumed)) return start;
  return formatSeconds(new Date(now));
}

/**
 * Returns the conditions for the end of a Job, which is announced first, and becomes final once no pod is left and
 * all pods are counted.
 */
function end(
  present: JsonObject[],
  ending: Ending | undefined,
  isSettled: boolean,
  notes: JobNote[],
  now: number,
): JsonObject[] {
  if (ending === undefined) return present;
  const announced = ending.succeeded ? 'SuccessCriteriaMet' : 'FailureTarget';
  const { conditions } = ensureCondition(present, announced, 'True', ending, now);
  if (!isSettled) return conditions;
  notes.push(
    ending.succeeded
      ? { type: 'Normal', reason: 'Completed', note: 'Job completed' }
      : { type: 'Warning', reason: ending.reason, note: ending.message },
  );
  return ensureCondition(conditions, ending.succeeded ? 'Complete' : 'Failed', 'True', ending, now)
    .conditions;
}
