import { isTyped, messageOf, type RunnerGroup } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import type { Claim, JobConclusion, JobKey, JobLock, JobSource, Refused } from '@interlock/broker';
import type { CacheReader } from '@interlock/kube';
import { continueTrace, traceparentOf } from '@interlock/service';
import type { Attributes, Tracer } from '@opentelemetry/api';
import { jobSecretName, type TracedClaim } from '../job/job-secret.js';
import { jobFields } from '../job/log.js';
import type { JobStore } from '../job/store.js';
import type { JobLocks } from '../lock/job-locks.js';
import type { LockKeeping } from '../lock/keeping.js';
import type { AgcMetrics } from '../metrics.js';
import type { RerunStore } from '../rerun/store.js';
import type { DeliveryNames, OtherGroups } from './delivery-names.js';
import type { EndedJobs } from './ended-jobs.js';
import { persist } from './persist.js';

interface ClaimsParts {
  group: string;
  namespace: string;
  groups: CacheReader<RunnerGroup>;
  led: OtherGroups;
  source: JobSource;
  jobs: JobStore;
  reruns: RerunStore;
  locks: JobLocks;
  keeping: LockKeeping;
  deliveries: DeliveryNames;
  ended: EndedJobs;
  clock: Clock;
  random: () => number;
  log: Logger;
  tracer: Tracer;
  metrics: AgcMetrics;
  /** Called when a claim has ended, whether or not its job was recorded. */
  onSettled(): void;
  /** Records a warning event of the RunnerGroup. */
  warn(reason: string, note: string): void;
}

const retry = { baseMs: 200, maxMs: 10_000 };

/** Claims offers and records the jobs. */
export class Claims {
  readonly #parts: ClaimsParts;
  readonly #underWay = new Set<Promise<void>>();
  readonly #claiming = new Set<JobKey>();
  /** Jobs that were cancelled before they were recorded, and after how many milliseconds the service ends them. */
  readonly #cancelled = new Map<JobKey, number | undefined>();

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
  }

  /** The number of claims that are under way. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Returns how many jobs are being claimed, or are claimed while `isObserved` returns false for the name of the Secret. */
  unobserved(isObserved: (job: string) => boolean): number {
    const { deliveries } = this.#parts;
    const claiming = [...this.#claiming].filter((key) => deliveries.get(key) === undefined);
    return deliveries.unobserved(isObserved) + claiming.length;
  }

  /** Begins to claim an offer. */
  take(key: JobKey, signal: AbortSignal): void {
    this.#claiming.add(key);
    const claiming = this.#claim(key, signal)
      .catch((error: unknown) => this.#giveUp(key, error, signal))
      .finally(() => {
        this.#underWay.delete(claiming);
        this.#claiming.delete(key);
        this.#cancelled.delete(key);
        this.#parts.onSettled();
      });
    this.#underWay.add(claiming);
  }

  /** Leaves an offered job queued at the service. */
  decline(key: JobKey, signal: AbortSignal): void {
    const { source, log } = this.#parts;
    source
      .release(key, signal)
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'could not decline an offered job'));
  }

  /** Reports a job that cannot be claimed until an operator changes a setting; it stays queued at the service. */
  leave(key: JobKey, message: string): void {
    const { log, metrics, warn } = this.#parts;
    metrics.count('job_acquisition_errors_total', { reason: 'HostNotAllowed' });
    warn('JobAcquisitionFailed', `a job is not claimed: ${message}`);
    log.warn({ offer: key, error: message }, 'a job is not claimed');
  }

  /** Records that a user has cancelled a job. @param timeoutMs after which time the service ends it; undefined when unknown */
  cancel(key: JobKey, timeoutMs: number | undefined, signal: AbortSignal): void {
    const { deliveries, jobs, namespace, clock, log } = this.#parts;
    const name = deliveries.get(key);
    this.#cancelled.set(key, timeoutMs);
    if (name === undefined) return;
    const mark = () => jobs.markCancelled({ name, namespace }, { at: clock.now(), timeoutMs }, signal);
    const marking = this.#persist(signal, mark)
      .then((isMarked) => {
        if (isMarked === true) this.#cancelled.delete(key);
      })
      .catch((error: unknown) => log.error({ job: name, error: messageOf(error) }, 'could not cancel a job'))
      .finally(() => this.#underWay.delete(marking));
    this.#underWay.add(marking);
  }

  /** Marks the lock of a job as lost, because the service reports that the job has ended. */
  end(key: JobKey): void {
    const name = this.#parts.deliveries.get(key);
    if (name !== undefined) this.#parts.locks.markLost(name);
  }

  /** Resolves when no claim is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Claims an offer in the first span of a job; the spans of the pod and of the conclusion continue its trace. */
  #claim(key: JobKey, signal: AbortSignal): Promise<void> {
    const { source, tracer, group } = this.#parts;
    const attributes = { 'interlock.runner_group': group };
    return continueTrace(tracer, undefined, 'poll', attributes, async (span) => {
      const traceparent = traceparentOf(span);
      const claim = await continueTrace(tracer, traceparent, 'acquire', attributes, () =>
        source.claim(key, signal),
      );
      if (claim.mode === 'refused') {
        span.setAttribute('interlock.refused', claim.reason);
        return this.#refused(claim, signal);
      }
      span.setAttributes(attributesOf(claim));
      await continueTrace(tracer, traceparent, 'stage', attributes, async () => {
        await this.#keep({ ...claim, traceparent }, signal);
        await this.#persist(signal, () => source.settled(key, signal));
      });
    });
  }

  async #keep(claim: TracedClaim, signal: AbortSignal): Promise<void> {
    const { group, groups, namespace, jobs, keeping, deliveries, source, ended, clock, metrics, log } =
      this.#parts;
    const { planId } = claim.identity;
    const name = jobSecretName(planId);
    const late = ended.conclusionOf(planId);
    if (late !== undefined) return this.#concludeLate(claim, late, signal);
    deliveries.set(claim.key, name);
    const lock = source.lock(claim.lock);
    keeping.keep(name, [lock]);
    const owner = groups.get({ name: group, namespace });
    if (owner === undefined) return;
    /* Between two attempts the job may run and end: through another delivery, or by an attempt whose answer was lost. */
    const store = async (): Promise<'created' | 'duplicate' | JobConclusion> =>
      ended.conclusionOf(planId) ?? jobs.create(owner, claim, clock.now(), signal);
    const stored = await this.#persist(signal, store, name);
    if (stored === 'created') {
      metrics.count('jobs_acquired_total', { runner_group: group });
      log.info(jobFields(name, claim), 'recorded a claimed job');
    } else if (stored === 'duplicate') await this.#addSibling(name, claim, lock, signal);
    else if (stored !== undefined) return this.#concludeLate(claim, stored, signal);
    if (this.#cancelled.has(claim.key)) this.cancel(claim.key, this.#cancelled.get(claim.key), signal);
  }

  async #addSibling(name: string, claim: Claim, lock: JobLock, signal: AbortSignal): Promise<void> {
    const { namespace, jobs, locks, ended } = this.#parts;
    try {
      await this.#persist(signal, () => jobs.addSibling({ name, namespace }, claim, signal));
    } catch (error) {
      const late = ended.conclusionOf(claim.identity.planId);
      if (late === undefined || !isTyped(error, 'NotFound')) throw error;
      return this.#concludeLate(claim, late, signal);
    }
    locks.addSibling(name, lock);
    this.#countDuplicate('deferred');
  }

  /** Concludes a delivery like its job, which has ended. */
  async #concludeLate(claim: Claim, conclusion: JobConclusion, signal: AbortSignal): Promise<void> {
    const { source, deliveries } = this.#parts;
    const lock = source.lock(claim.lock);
    const outcome = await this.#persist(signal, () => concludeLate(lock, conclusion, signal));
    await source.release(claim.key, signal);
    deliveries.delete(claim.key);
    this.#countDuplicate(outcome ?? 'failed');
  }

  #countDuplicate(outcome: string): void {
    const { metrics, group } = this.#parts;
    metrics.count('jobs_duplicate_delivery_total', { runner_group: group });
    metrics.count('abandoned_delivery_completions_total', { runner_group: group, outcome });
  }

  async #refused({ key, reason, message, runnerName }: Refused, signal: AbortSignal): Promise<void> {
    const { group, groups, namespace, source, reruns, log, metrics, warn } = this.#parts;
    metrics.count('job_acquisition_errors_total', { reason });
    log.info({ reason, runnerName }, `could not claim a job: ${message}`);
    const owner = groups.get({ name: group, namespace });
    if (reason === 'lost' && runnerName !== undefined && owner !== undefined) {
      warn(
        'JobAcquisitionFailed',
        `runner ${runnerName} may hold a job that it cannot start; the run of that job is run again: ${message}`,
      );
      await this.#persist(signal, () => reruns.scheduleLost(owner, runnerName, signal));
    }
    await this.#persist(signal, () => source.release(key, signal));
  }

  async #giveUp(key: JobKey, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { group, log, metrics, source, warn, deliveries, locks, led } = this.#parts;
    const name = deliveries.get(key);
    deliveries.delete(key);
    /* Renewing the lock would keep a job forever that is never started, unless it has started through another delivery. */
    const isLast = name !== undefined && deliveries.keysOf(name).length === 0;
    if (isLast && !led.isHeldElsewhere(name, group)) locks.drop(name);
    const reason = isTyped(error) ? error.reason : 'other';
    metrics.count('job_acquisition_errors_total', { reason });
    warn('JobAcquisitionFailed', `could not claim a job: ${messageOf(error)}`);
    log.warn({ error: messageOf(error) }, 'gave up an offered job');
    await source.release(key, signal).catch(() => undefined);
  }

  /**
   * Repeats a step while its failure is transient, or while the controller lacks a permission that an operator may
   * grant. Returns undefined when `signal` aborts first: the next leader takes the step.
   *
   * @param job the name of a job; the attempts to get a permission end when its lock is lost
   */
  #persist<T>(signal: AbortSignal, step: () => Promise<T>, job = ''): Promise<T | undefined> {
    const { clock, random, log, locks, warn } = this.#parts;
    const onFailure = (error: unknown, attempt: number): void => {
      const isForbidden = isTyped(error, 'Unauthorized');
      /* A job whose lock is lost is recorded nevertheless, so that its run is run again; but a permission may never be granted. */
      const mayBeGranted = isForbidden && locks.view(job).lostAt === undefined;
      if (!mayBeGranted && !isTyped(error, 'Transient', 'RateLimited', 'Conflict')) throw error;
      if (isForbidden && attempt === 1) warn('JobNotStored', messageOf(error));
      log.warn({ error: messageOf(error), attempt }, 'a step of a claim failed; retrying');
    };
    return persist(step, { clock, random, backoff: retry, leastMs: 50, onFailure }, signal);
  }
}

/** Concludes a delivery of a job that has ended. @throws TypedError when the service does not answer */
async function concludeLate(
  lock: JobLock,
  conclusion: JobConclusion,
  signal: AbortSignal,
): Promise<'completed' | 'failed'> {
  try {
    await lock.complete(conclusion, signal);
    return 'completed';
  } catch (error) {
    if (isTyped(error, 'Transient', 'RateLimited')) throw error;
    /* The service will not accept the conclusion later either, and ends the delivery itself. */
    return 'failed';
  }
}

/** Returns the attributes of a span that describe a job; none of them is secret. */
function attributesOf({ identity, run }: Claim): Attributes {
  return {
    'interlock.plan_id': identity.planId,
    'interlock.run_id': run?.runId,
    'interlock.repository': run?.repository,
  };
}
