/** Identifies one offer of a job at its source; opaque to callers. The classic broker has one for each delivery: the runner request id. */
export type JobKey = string;

/** The identity of a job at the service, independent of the claimed delivery: two claims with one identity are the same job. */
export interface JobIdentity {
  planId: string;
  /** The id of the job at the service, for renewals and conclusions. */
  jobId: string;
}

/** The run of a workflow that a job belongs to. Ids are decimal text, because they may be beyond 2^53. */
export interface RunReference {
  /** `owner/name`. */
  repository: string;
  runId: string;
  /** Counts from 1; absent when the source does not report it. */
  runAttempt?: number | undefined;
  /** Id of the job in GitHub's REST API (its check run). */
  restJobId?: string | undefined;
  jobName?: string | undefined;
  workflow?: string | undefined;
}

/** The conclusions of the run service. */
export type JobConclusion =
  'succeeded' | 'succeededWithIssues' | 'failed' | 'canceled' | 'skipped' | 'abandoned';

/** The data with which any process can renew and conclude a claimed job. It holds a secret: never log it. */
export interface LockReference extends JobIdentity {
  /** URL of the service that keeps the lock of this job; it is valid for this job only. */
  url: string;
  /** Token that is valid for this job only. */
  token: string;
  billingOwnerId?: string | undefined;
  /** The id of the delivery, by which a service may know the job instead of its id in the payload. */
  deliveryId?: string | undefined;
}

/** The lock of a claimed job. Each call is made once; the caller, which knows how long the lock lasts, repeats it. */
export interface JobLock {
  /**
   * Extends the lock.
   *
   * @returns until when the lock lasts, in milliseconds since the epoch by the local clock
   * @throws TypedError `NotFound` when the job has ended or the lock is lost
   */
  renew(signal: AbortSignal): Promise<{ lockedUntil: number }>;
  /**
   * Ends the job. A job that has already ended is not an error.
   *
   * @param annotation what GitHub shows on the job
   * @returns `concluded`: by this call; `ended`: it had already ended, with any conclusion
   */
  complete(
    conclusion: JobConclusion,
    signal: AbortSignal,
    annotation?: JobAnnotation,
  ): Promise<'concluded' | 'ended'>;
}

/** An annotation that GitHub shows on a job. */
export interface JobAnnotation {
  title: string;
  message: string;
  /** Whether the cause is the infrastructure, not the job. */
  isInfrastructureIssue?: boolean | undefined;
}

/** A job that this process holds: it starts the job from its payload, and keeps its lock. */
export interface Claim {
  mode: 'payload';
  key: JobKey;
  identity: JobIdentity;
  /** What the service sent, byte for byte. */
  payload: Buffer;
  lock: LockReference;
  run: RunReference | undefined;
  runnerName: string;
}

/** Why an offer did not become a claim. */
export interface Refused {
  mode: 'refused';
  key: JobKey;
  /**
   * - `gone`: the job has ended, or its offer has expired.
   * - `taken`: another runner has it.
   * - `lost`: an earlier answer to the claim was lost, and a runner that cannot start the job holds it, or held it until the service
   *   ended it. The job keeps its place, and is offered again after a restart, until it is released.
   * - `unclaimable`: the service refused the claim or the credential, and will refuse it again.
   */
  reason: 'gone' | 'taken' | 'lost' | 'unclaimable';
  message: string;
  /** The runner that may hold the job, or have held it, when the reason is `lost`. */
  runnerName?: string | undefined;
}

/** What happens to a job that its holder releases. */
export type Released = 'returned' | 'expires' | 'pinned';

/** The health of a source. */
export interface SourceHealth {
  state:
    | 'polling'
    | 'rateLimited'
    | 'unauthorized'
    | 'versionTooOld'
    | 'sessionHeld'
    | 'credentialMissing'
    | 'failing';
  /** Milliseconds since the epoch. */
  since: number;
  /** Why calls are not made, when no refusal of them is the cause. */
  reason?: 'LimitUsedUp' | undefined;
  /** A sentence that states what is wrong and what to do; absent while polling. */
  message?: string | undefined;
}

/**
 * What a source reports, in its own order. `offered` is followed by exactly one `claim` or `release` of its key.
 *
 * - `offered`: a job may be claimed. `isRepeated`: a claim may have been sent before a restart; claiming the job again
 *   settles it.
 * - `held`: a job cannot be claimed now because there is no capacity; it stays queued.
 * - `unusable`: a job is not offered, because it names a host that may not receive its tokens.
 * - `bound`: a claimed job runs on that runner.
 * - `cancelled`: a user has cancelled the job; reported once for a key. `timeoutMs`: after which time the service ends the job, if it
 *   states that.
 * - `withdrawn`: an offer or a claim is no longer valid.
 * - `health`: the health of the source has changed.
 */
export type SourceEvent =
  | { type: 'offered'; key: JobKey; isRepeated?: boolean }
  | { type: 'held'; key: JobKey }
  | { type: 'unusable'; key: JobKey; message: string }
  | { type: 'bound'; key: JobKey; runnerName: string }
  | { type: 'cancelled'; key: JobKey; timeoutMs?: number | undefined }
  | { type: 'withdrawn'; key: JobKey }
  | { type: 'health'; health: SourceHealth };

/**
 * The source of the jobs of one RunnerGroup. It implements only the protocol: pods, policy and the records of jobs belong to the
 * caller.
 *
 * Its guarantees, which a contract suite checks:
 * - one live claim for each identity of a job, and none beyond the capacity;
 * - a claim can be repeated after a crash, with the same key, until `settled` was called;
 * - the order of events is the order of the service, and a handler may receive an event twice, with the same key;
 * - no event, health or log line carries a token or a payload;
 * - each call settles within a second of its abort.
 */
export interface JobSource {
  /**
   * Continues the work of an earlier process: offers that it may have claimed are reported with `isRepeated`, and jobs in `held` are
   * watched for cancellation. Reports further offers until the source is closed.
   *
   * @param held jobs that were claimed earlier and have not ended, by their keys
   */
  open(
    held: readonly { key: JobKey; identity: JobIdentity; runnerName: string }[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Returns the events, for one consumer; they end when the source is closed. */
  events(): AsyncIterable<SourceEvent>;
  /** Sets the capacity. @param total how many jobs may be offered and claimed at a time, including those that run */
  setCapacity(total: number): void;
  /**
   * Sets the number of sessions. @param count how many sessions may wait for a job at a time, at least 1; a source
   * with one session ignores it
   */
  setMaxListeners(count: number): void;
  /**
   * Replaces idle runners with runners that have these labels, 1 to 100, unless they already have them. Does not affect running
   * jobs.
   */
  setLabels(labels: readonly string[]): void;
  /** The number of sessions that currently wait for a job. */
  readonly sessions: number;
  /** When the last answer to a poll arrived, in milliseconds of the monotonic clock; undefined before the first. */
  readonly lastPollAt: number | undefined;
  /**
   * Claims an offered job; no other call takes work.
   *
   * @throws TypedError `Transient` or `RateLimited` when it may be repeated
   */
  claim(key: JobKey, signal: AbortSignal): Promise<Claim | Refused>;
  /** Settles a claim that the caller has recorded: from now on a restart continues from that record. */
  settled(key: JobKey, signal: AbortSignal): Promise<void>;
  /** Frees the place and the resources of an offer or a claim whose job has ended or is given up. */
  release(key: JobKey, signal: AbortSignal): Promise<Released>;
  /** Returns the lock of a claim with a payload, which this or an earlier process made. */
  lock(reference: LockReference): JobLock;
  /**
   * Ends the events. `handOver` keeps the runners for the next process, and only deletes the sessions; `retire` also removes every
   * runner that does not have a job.
   *
   * @returns the number of runners that still have a job or could not be removed, and why the first of the latter could not
   */
  close(
    mode: 'handOver' | 'retire',
    signal: AbortSignal,
  ): Promise<{ pinned: number; problem?: string | undefined }>;
}
