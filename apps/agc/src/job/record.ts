import { runnerResults } from '@interlock/api';
import { z } from 'zod';

/**
 * What is on record of a job that this installation holds, in an annotation of the job's Secret: a replacement of the process
 * continues from it. It carries neither the payload nor a token, which are data of the Secret.
 *
 * - `Staged`: payload and lock are stored; there is no worker pod yet. Before that, the job is `Acquired`: its claim is on the
 *   record of the runner that made it.
 * - `PodCreated`: the worker pod exists.
 * - `Running`: the container of the runner has started.
 * - `Concluding`: how the job ended is known; what follows from that may not all be done. Done: the Secret is gone.
 */
const jobPhases = ['Staged', 'PodCreated', 'Running', 'Concluding'] as const;

/**
 * How a job ended here.
 *
 * - `reported`: the runner has concluded it at the service.
 * - `crashed`: the runner ended without a result.
 * - `disrupted`: the pod was taken away after the job may have started.
 * - `deadline`: the pod was stopped at its longest lifetime.
 * - `cancelled`: a user cancelled it, before a runner could report that.
 * - `lockLost`: the service has ended it, or given it to nobody.
 * - `abandoned`: it never started, and cannot.
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

/** Why a pod was taken from a job. */
const disruptions = ['eviction', 'preemption', 'deletion', 'nodeLost', 'outOfMemory'] as const;
export type Disruption = (typeof disruptions)[number];

/** Why this project deletes a worker pod whose job is on record; also the value of an annotation on the pod. */
const deletionReasons = ['cancelled', 'pending_deadline', 'job_abandoned', 'gateway_deleted'] as const;
export type DeletionReason = (typeof deletionReasons)[number];

const text = (max: number) => z.string().min(1).max(max);
const milliseconds = z.number().min(0).max(8.64e15);
const count = z.int().min(0).max(1_000_000);

const runReference = z.object({
  repository: text(512),
  runId: text(40),
  runAttempt: count.optional(),
  restJobId: text(40).optional(),
  jobName: text(1024).optional(),
  workflow: text(1024).optional(),
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
  message: z.string().max(1024).optional(),
  /** Of a lost lock: see the field of the same name of a job. */
  isRevoked: z.boolean().optional(),
});
export type JobEnd = z.output<typeof jobEnd>;

const schema = z.object({
  /** Of the record's format. */
  version: z.literal(1),
  key: text(256),
  planId: text(256),
  jobId: text(256),
  runnerName: text(256),
  run: runReference.optional(),
  phase: z.enum(jobPhases),
  /** Milliseconds since the epoch. */
  acquiredAt: milliseconds,
  /** Names the span that the job began with, in W3C form; absent where no traces are sent. */
  traceparent: text(64).optional(),
  /** How many Secrets the payload is in. */
  parts: z.int().min(1).max(64),
  /** The keys of deliveries of the same job that were claimed, too; the service ends the run unless they are concluded. */
  siblings: z.array(text(256)).max(64),
  /** Worker pods that were made, each replaced because the job cannot have started in it. */
  launches: count,
  /** Creations of a pod that were refused in a row, most often by a ResourceQuota; when the last one was, and why. */
  refusals: count,
  refusedAt: milliseconds.optional(),
  refusal: z.string().max(1024).optional(),
  cancelledAt: milliseconds.optional(),
  startedAt: milliseconds.optional(),
  /** Why the worker pod is deleted, recorded before that: the pod may be gone before its end was seen. */
  stop: z.enum(deletionReasons).optional(),
  /** The service ended the job while its lock lasted, so that it was not for want of renewals. */
  isRevoked: z.boolean().optional(),
  end: jobEnd.optional(),
});
export type JobRecord = z.output<typeof schema>;

const longestRecord = 64 * 1024;

/** Returns the record as the text of an annotation. */
export function encodeRecord(record: JobRecord): string {
  return JSON.stringify(record);
}

/** Returns the record in an annotation; undefined when it is none, because somebody else has changed it. */
export function decodeRecord(annotation: string | undefined): JobRecord | undefined {
  if (annotation === undefined || annotation.length > longestRecord) return undefined;
  try {
    return schema.safeParse(JSON.parse(annotation)).data;
  } catch {
    return undefined;
  }
}
