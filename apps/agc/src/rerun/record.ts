import * as z from 'zod';

/**
 * Why a run is run again: its job was disrupted, its lock expired, it could not be started, or the answer to its claim was lost.
 */
export const rerunCauses = [
  'eviction',
  'preemption',
  'deletion',
  'nodeLost',
  'outOfMemory',
  'lockLost',
  'abandoned',
  'claimLost',
] as const;
export type RerunCause = (typeof rerunCauses)[number];

/** How a requested rerun ended; see the messages of the events. */
const rerunResults = [
  'made',
  'superseded',
  'exhausted',
  'withheld',
  'refused',
  'tooLate',
  'notFound',
] as const;
export type RerunResult = (typeof rerunResults)[number];

const text = (max: number) => z.string().min(1).max(max);
const milliseconds = z.number().min(0).max(8.64e15);

const schema = z.object({
  version: z.literal(1),
  /** Absent until the run of a lost claim is found through the runner that holds its job. */
  repository: text(512).optional(),
  runId: text(40).optional(),
  /** The attempt whose job was disrupted; a later attempt shows that the run has been run again. */
  runAttempt: z.int().min(1).max(1_000_000).optional(),
  cause: z.enum(rerunCauses),
  /** The runners of the disrupted jobs; none is listed twice, so that a repeated request changes nothing. */
  runners: z.array(text(256)).min(1).max(256),
  restJobIds: z.array(text(40)).max(256),
  /** Whether `restJobIds` lacks a disrupted job, because its id is not known. */
  isIncomplete: z.boolean().optional(),
  /** Milliseconds since the epoch. */
  requestedAt: milliseconds,
  /**
   * Whether GitHub shows the run as cancelled although no user cancelled it: this controller requested the cancellation, the
   * runner of a disrupted pod reported it, or a lock expired.
   */
  isCancelled: z.boolean(),
  /** The number of reruns of this run for this record; `maxEvictionRetries` limits those for all records of the run. */
  made: z.int().min(0).max(1000),
  /** Absent while the rerun waits. */
  result: z.enum(rerunResults).optional(),
  endedAt: milliseconds.optional(),
});

/** A run that is to be run again, and how often it was run again; kept in a ConfigMap for a day. */
export type RerunRecord = z.output<typeof schema>;

const longestRecord = 128 * 1024;

/** Returns the record as the value of a ConfigMap. */
export function encodeRerun(record: RerunRecord): string {
  return JSON.stringify(record);
}

/** Returns the record in a ConfigMap; undefined when it is not valid. */
export function decodeRerun(value: string | undefined): RerunRecord | undefined {
  if (value === undefined || value.length > longestRecord) return undefined;
  try {
    return schema.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

/** A job whose run is to be run again. */
export interface RerunRequest {
  repository?: string | undefined;
  runId?: string | undefined;
  runAttempt?: number | undefined;
  restJobId?: string | undefined;
  cause: RerunCause;
  /** Whether GitHub shows the job as cancelled although no user cancelled it. */
  isCancelled: boolean;
  runnerName: string;
}

/**
 * Returns the record after a request; the same record when it already has the request. A waiting request is changed when its job
 * turns out not to have started. Pure; `now` in milliseconds since the epoch.
 */
export function withRequest(
  record: RerunRecord | undefined,
  request: RerunRequest,
  now: number,
): RerunRecord {
  const { repository, runId, runAttempt, restJobId, cause, isCancelled, runnerName } = request;
  const isWaiting = record !== undefined && record.result === undefined;
  if (record?.runners.includes(runnerName) === true) {
    const isChanged = isWaiting && cause === 'abandoned' && record.cause !== cause;
    return isChanged ? { ...record, cause } : record;
  }
  const before = isWaiting ? record : undefined;
  return {
    version: 1,
    repository,
    runId,
    runAttempt: runAttempt ?? before?.runAttempt,
    cause,
    runners: [...(record?.runners ?? []), runnerName].slice(-256),
    restJobIds: [...(before?.restJobIds ?? []), ...(restJobId === undefined ? [] : [restJobId])].slice(-256),
    isIncomplete: (runId !== undefined && restJobId === undefined) || before?.isIncomplete,
    requestedAt: before?.requestedAt ?? now,
    isCancelled: isCancelled || before?.isCancelled === true,
    made: record?.made ?? 0,
  };
}
