/**
 * Names one offer of a job at its source; opaque to everyone else. The classic broker has one for each delivery of a job (the
 * runner request id), the scale set API one for each assignment.
 */
export type JobKey = string;

/** What a job is at the service, whichever delivery of it was claimed: two claims with one identity are the same job. */
export interface JobIdentity {
  planId: string;
  /** The service's id of the job, which renewals and conclusions carry. */
  jobId: string;
}

/** The run of a workflow that a job belongs to. Ids are decimal text, because they may be beyond 2^53. */
export interface RunReference {
  /** `owner/name`. */
  repository: string;
  runId: string;
  /** Counts from 1; absent: the source did not report it. */
  runAttempt?: number | undefined;
  /** Id of the job in GitHub's REST API (its check run). */
  restJobId?: string | undefined;
  jobName?: string | undefined;
  workflow?: string | undefined;
}

/** How the run service names the end of a job. */
export type JobConclusion =
  'succeeded' | 'succeededWithIssues' | 'failed' | 'canceled' | 'skipped' | 'abandoned';

/** What is needed to renew and conclude a claimed job, by any process. It holds a secret: never log it. */
export interface LockReference extends JobIdentity {
  /** URL of the service that keeps the lock of this job; no other job's. */
  url: string;
  /** Token that is valid for this job alone. */
  token: string;
  billingOwnerId?: string | undefined;
}

/** The lock of a claimed job. Each call is made once: repeating is the caller's, which knows how long the lock lasts. */
export interface JobLock {
  /**
   * Extends the lock.
   *
   * @returns until when it lasts, in milliseconds since the epoch by the service's clock
   * @throws TypedError `NotFound` when the job has ended or the lock is lost
   */
  renew(signal: AbortSignal): Promise<{ lockedUntil: number }>;
  /**
   * Ends the job. A job that has ended already is no error.
   *
   * @param annotation what GitHub shows at the job
   * @returns `concluded`: by this call; `ended`: it had ended already, with whatever conclusion
   */
  complete(
    conclusion: JobConclusion,
    signal: AbortSignal,
    annotation?: JobAnnotation,
  ): Promise<'concluded' | 'ended'>;
}

/** A line that GitHub shows at a job. */
export interface JobAnnotation {
  title: string;
  message: string;
  /** The cause is the infrastructure, not the job. */
  isInfrastructureIssue?: boolean | undefined;
}

/** A job that this process holds. */
export type Claim =
  | {
      /** The holder starts the job from its payload, and keeps its lock. */
      mode: 'payload';
      key: JobKey;
      identity: JobIdentity;
      /** What the service sent, byte for byte. */
      payload: Buffer;
      lock: LockReference;
      run: RunReference | undefined;
      runnerName: string;
    }
  | {
      /** The holder starts a runner, which takes the job and keeps its lock. */
      mode: 'runner';
      key: JobKey;
      identity: JobIdentity | undefined;
      runnerId: string;
      runnerName: string;
      jitConfig: string;
      run: RunReference | undefined;
    };

/** Why an offer did not become a claim. */
export interface Refused {
  mode: 'refused';
  key: JobKey;
  /**
   * - `gone`: the job has ended, or its offer has expired.
   * - `taken`: another runner has it.
   * - `lost`: an earlier answer to the claim was lost, and the job is held by a runner that cannot start it, or was until the service
   *   ended it. It keeps its place, and is offered again after a restart, until it is released.
   * - `unclaimable`: the service or its credential refused, and the offer will not become claimable.
   */
  reason: 'gone' | 'taken' | 'lost' | 'unclaimable';
  message: string;
  /** The runner that may hold the job, or have held it, when the reason is `lost`. */
  runnerName?: string | undefined;
}

/** What became of a job that its holder gives up. */
export type Released = 'returned' | 'expires' | 'pinned';

/** How a source is doing. */
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
  /** A sentence that names what is wrong and what to do; absent while polling. */
  message?: string | undefined;
}

/**
 * What a source reports, in its own order. `offered` is followed by exactly one `claim` or `release` of its key.
 *
 * - `offered`: a job may be claimed. `isRepeated`: a claim may have gone out before a restart, so claiming it settles that.
 * - `held`: a job was seen that may not be claimed now, for want of capacity; it stays queued.
 * - `bound`: a claimed job runs on that runner.
 * - `cancelled`: a user has cancelled the job; reported once for a key.
 * - `withdrawn`: an offer or a claim is not valid any more.
 * - `concluded`: the service has ended the job.
 * - `demand`: what the service counts, where it does.
 * - `health`: it has changed.
 */
export type SourceEvent =
  | { type: 'offered'; key: JobKey; labels?: readonly string[]; run?: RunReference; isRepeated?: boolean }
  | { type: 'held'; key: JobKey }
  | { type: 'bound'; key: JobKey; runnerName: string }
  | { type: 'cancelled'; key: JobKey }
  | { type: 'withdrawn'; key: JobKey }
  | { type: 'concluded'; key: JobKey; result: JobConclusion | undefined; runnerName?: string }
  | { type: 'demand'; queued: number; assigned: number; running: number }
  | { type: 'health'; health: SourceHealth };

/**
 * Where the jobs of one RunnerGroup come from. It knows the protocol alone: pods, policy and the records of jobs are the
 * caller's. The classic broker implements it; it is made so that the scale set API can, too.
 *
 * Its promises, which one contract suite checks for every implementation:
 * - one live claim for each identity of a job, and none beyond the capacity;
 * - what `claim` returns can be claimed again after a crash, under the same key, until `settled` was called;
 * - the order of events is the order of the service, and handlers may see an event twice, with the same key;
 * - no event, health or log line carries a token or a payload;
 * - each call settles within a second of its abort.
 */
export interface JobSource {
  /**
   * Continues what an earlier process left: offers that it may have claimed are reported with `isRepeated`, jobs in `held` are
   * watched for cancellation. Reports further offers until it is closed.
   *
   * @param held jobs that were claimed earlier and have not ended, by their keys
   */
  open(
    held: readonly { key: JobKey; identity: JobIdentity; runnerName: string }[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Events, for one consumer; ends when the source is closed. */
  events(): AsyncIterable<SourceEvent>;
  /** @param total how many jobs may be offered and claimed at a time, those that run included */
  setCapacity(total: number): void;
  /** @param count how many sessions may wait for a job at a time, at least 1; a source with one session ignores it */
  setMaxListeners(count: number): void;
  /** Has runners that wait replaced by runners with these labels, 1 to 100, unless they have them. Jobs that run are not touched. */
  setLabels(labels: readonly string[]): void;
  /** How many sessions wait for a job now. */
  readonly sessions: number;
  /** When the last answer to a poll came, in milliseconds of the monotonic clock; undefined before the first. */
  readonly lastPollAt: number | undefined;
  /**
   * Claims an offered job: the only call that takes work.
   *
   * @throws TypedError `Transient` or `RateLimited` when it may be repeated
   */
  claim(key: JobKey, signal: AbortSignal): Promise<Claim | Refused>;
  /** The claim is on record: from now on a restart continues from that record. */
  settled(key: JobKey, signal: AbortSignal): Promise<void>;
  /** The job of an offer or of a claim has ended, or is given up: frees its place, and what the source keeps for it. */
  release(key: JobKey, signal: AbortSignal): Promise<Released>;
  /** Returns the lock of a claim with a payload, of this process or of an earlier one. */
  lock(reference: LockReference): JobLock;
  /**
   * Ends the reports. `handOver` leaves what the service knows of us for the next process, sessions aside; `retire` also removes
   * every runner that is not pinned by a job.
   *
   * @returns how many runners a job still pins
   */
  close(mode: 'handOver' | 'retire', signal: AbortSignal): Promise<{ pinned: number }>;
}
