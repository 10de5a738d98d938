import { runnerResults, TypedError } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { RunReference } from '@interlock/broker';
import * as z from 'zod';

/**
 * The phases of a job that this installation holds. The record of a job is an annotation of the job's Secret, from which a new
 * process continues. The record has neither the payload nor a token, which are data of the Secret.
 *
 * - `Staged`: payload and lock are stored; there is no worker pod yet. Before that, the job is `Acquired`: its claim is in the
 *   record of the runner that made it.
 * - `PodCreated`: the worker pod exists.
 * - `Running`: the container of the runner has started.
 * - `Concluding`: the end of the job is known; some of its consequences may be outstanding. When all are done, the Secret is
 *   removed.
 */
const jobPhases = ['Staged', 'PodCreated', 'Running', 'Concluding'] as const;

/**
 * How a job ended.
 *
 * - `reported`: the runner has concluded it at the service.
 * - `crashed`: the runner ended without a result.
 * - `disrupted`: the pod was removed after the job may have started.
 * - `deadline`: the pod was stopped at its maximum lifetime.
 * - `cancelled`: a user cancelled it, before a runner could report that.
 * - `lockLost`: the service has ended it, or its lock has expired.
 * - `abandoned`: it has not started, and cannot start.
 */
const jobEndings = [
  'reported',
  'crashed',
  'disrupted',
  'deadline',
  'cancelled',
  'lockLost',
  'abandoned',
] as const;

/** Why a pod was removed from a job. */
const disruptions = ['eviction', 'preemption', 'deletion', 'nodeLost', 'outOfMemory'] as const;
export type Disruption = (typeof disruptions)[number];

/** Why this controller deletes a worker pod whose job is recorded; also the value of an annotation on the pod. */
const deletionReasons = ['cancelled', 'pending_deadline', 'job_abandoned', 'gateway_deleted'] as const;
export type DeletionReason = (typeof deletionReasons)[number];

const text = (max: number) => z.string().min(1).max(max);
const milliseconds = z.number().min(0).max(8.64e15);
const count = z.int().min(0).max(1_000_000);
/** The longest name of a job or a workflow, which its author chooses. */
const longestName = 1024;
/** The longest sentence about the end of a job, which may quote the API server. */
const longestMessage = 1024;
/** The most deliveries of one job, besides the one that runs, which RunnerGroups with the same labels may have. */
const mostSiblings = 64;

const runReference = z.object({
  repository: text(512),
  runId: text(40),
  runAttempt: count.optional(),
  restJobId: text(40).optional(),
  jobName: text(longestName).optional(),
  workflow: text(longestName).optional(),
});

const jobEnd = z.object({
  ending: z.enum(jobEndings),
  /** Milliseconds since the epoch. */
  at: milliseconds,
  exitCode: z.int().optional(),
  /** The result that the runner reported. */
  result: z.enum(Object.values(runnerResults)).optional(),
  disruption: z.enum(disruptions).optional(),
  /** A sentence for events and for GitHub's annotation. */
  message: z.string().max(longestMessage).optional(),
  /** For a lost lock: whether the service ended the job before the lock expired. */
  isRevoked: z.boolean().optional(),
});
export type JobEnd = z.output<typeof jobEnd>;

const schema = z.object({
  /** The version of the format. */
  version: z.literal(1),
  key: text(256),
  planId: text(256),
  jobId: text(256),
  runnerName: text(256),
  run: runReference.optional(),
  phase: z.enum(jobPhases),
  /** Milliseconds since the epoch. */
  acquiredAt: milliseconds,
  /** W3C trace context of the first span of the job; absent if no traces are sent. */
  traceparent: text(64).optional(),
  /** The number of Secrets that hold the payload. */
  parts: z.int().min(1).max(64),
  /** The keys of other claimed deliveries of the same job; the service ends the run unless they are concluded. */
  siblings: z.array(text(256)).max(mostSiblings),
  /** The number of worker pods that were replaced because the job cannot have started in them. */
  launches: count,
  /** The number of consecutive refusals to create the pod, most often by a ResourceQuota; the time of the last one, and its reason. */
  refusals: count,
  refusedAt: milliseconds.optional(),
  refusal: z.string().max(1024).optional(),
  cancelledAt: milliseconds.optional(),
  /** How long after the cancellation the service ends the job, as the cancellation states. */
  cancelTimeoutMs: milliseconds.optional(),
  startedAt: milliseconds.optional(),
  /** Why the worker pod is deleted; recorded before the deletion, because the pod may be gone before its end is observed. */
  stop: z.enum(deletionReasons).optional(),
  /** Whether the service ended the job before its lock expired, so that missing renewals are not the cause. */
  isRevoked: z.boolean().optional(),
  end: jobEnd.optional(),
});
export type JobRecord = z.output<typeof schema>;

const longestRecord = 64 * 1024;

/** Returns a run with names that fit in a record: no later process could read the record of another one. */
export function recordableRun(run: RunReference): RunReference {
  const { jobName, workflow } = run;
  return {
    ...run,
    jobName: jobName && truncate(jobName, longestName),
    workflow: workflow && truncate(workflow, longestName),
  };
}

/**
 * Returns the record with the key of another delivery of the job, once.
 *
 * @throws TypedError `Permanent` when it has as many as a record may have: no later process could read it
 */
export function withSibling(record: JobRecord, key: string): JobRecord {
  const siblings = [...new Set([...record.siblings, key])];
  if (siblings.length <= mostSiblings) return { ...record, siblings };
  const message = `job ${record.jobId} already has ${mostSiblings} further deliveries; give the RunnerGroups different labels`;
  throw new TypedError('Permanent', message, { reason: 'TooManyDeliveries' });
}

/** Returns the record as the text of an annotation. The sentence about the end is cut to the length that a record may have. */
export function encodeRecord(record: JobRecord): string {
  const { end } = record;
  if (end?.message === undefined) return JSON.stringify(record);
  return JSON.stringify({ ...record, end: { ...end, message: truncate(end.message, longestMessage) } });
}

/** Returns the record in an annotation; undefined when the annotation is not a valid record. */
export function decodeRecord(annotation: string): JobRecord | undefined {
  if (annotation.length > longestRecord) return undefined;
  try {
    return schema.safeParse(JSON.parse(annotation)).data;
  } catch {
    return undefined;
  }
}
