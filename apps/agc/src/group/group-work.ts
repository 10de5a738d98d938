import { messageOf, type RunnerGroupSpec } from '@interlock/api';
import { aborted, timeLimit, waitFor, type Clock, type Logger } from '@interlock/base';
import type { JobKey, JobSource, SourceEvent, SourceHealth } from '@interlock/broker';
import type { JobRecord } from '../job/record.js';
import type { AgcMetrics } from '../metrics.js';
import type { Adoption } from './adoption.js';
import { claimSignal } from './claim-signal.js';
import type { Claims } from './claims.js';
import type { DeliveryNames } from './delivery-names.js';
import { persist } from './persist.js';

interface GroupWorkParts {
  group: string;
  source: JobSource;
  adoption: Pick<Adoption, 'adopt' | 'adoptLate' | 'abandon'>;
  claims: Pick<
    Claims,
    'take' | 'decline' | 'leave' | 'cancel' | 'end' | 'settled' | 'underWay' | 'unobserved'
  >;
  deliveries: DeliveryNames;
  clock: Clock;
  log: Logger;
  random: () => number;
  metrics: Pick<AgcMetrics, 'count'>;
  /** Earlier work on the same group, which has lost the lease and renews its locks until this work has adopted them. */
  predecessor?: GroupWork | undefined;
  /** Returns why no job may be claimed now, although there was room when the capacity was set. */
  shortage: () => Capacity['shortage'];
  /** Called when the health or {@link GroupWork.heldSince} changes. */
  onChange(): void;
}

/** How many jobs may be claimed, and why there is no room for more. */
export interface Capacity {
  total: number;
  /** Present when there is no room for another job. */
  shortage?: { reason: 'ceiling' | 'quota' | 'draining'; message: string } | undefined;
}

const openRetry = { baseMs: 1_000, maxMs: 30_000 };
/** The time to delete sessions; the remaining sessions expire at the service. Both times fit in the grace period of the process. */
const closeMs = 15_000;

/** The work of the leader of a RunnerGroup: adopts the recorded jobs, claims offers, and passes on the reports of the service. */
export class GroupWork {
  readonly #parts: GroupWorkParts;
  #capacity: Capacity = { total: 0 };
  #health: SourceHealth | undefined;
  #heldSince: number | undefined;
  #isRetiring = false;
  #retired: ReturnType<JobSource['close']> | undefined;
  #isClosed = false;
  #isAdopted = false;
  #isAbandoned = false;
  #predecessor: GroupWork | undefined;
  /** Resolves when the source knows the recorded jobs, or when this work ends before that. */
  readonly #opened: Promise<void>;
  readonly #endOpening: () => void;

  constructor(parts: GroupWorkParts) {
    this.#parts = parts;
    this.#predecessor = parts.predecessor;
    let endOpening: () => void = () => undefined;
    this.#opened = new Promise((resolve) => (endOpening = resolve));
    this.#endOpening = endOpening;
  }

  get name(): string {
    return this.#parts.group;
  }

  get log(): Logger {
    return this.#parts.log;
  }

  get source(): JobSource {
    return this.#parts.source;
  }

  get health(): SourceHealth | undefined {
    return this.#health;
  }

  /** Since when jobs stay queued because there is no room, in milliseconds since the epoch; undefined while no job does. */
  get heldSince(): number | undefined {
    return this.#heldSince;
  }

  /** Whether every recorded job is known and its lock is renewed: a job that is not recorded by now is not held. */
  get isAdopted(): boolean {
    return this.#isAdopted;
  }

  /** Whether the RunnerGroup is being deleted and the timeout of its jobs has passed. */
  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  /** Whether the source has stopped polling, because the RunnerGroup is being deleted and its runners are removed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns whether the group has a delivery of a job, by the name of the Secret of the job. */
  holds(job: string): boolean {
    if (this.#isAbandoned) return false;
    return this.#parts.deliveries.keysOf(job).length > 0 || this.#predecessor?.holds(job) === true;
  }

  /** Returns how many jobs the group claims, or has claimed while `isObserved` returns false for the name of the Secret. */
  unobservedJobs(isObserved: (job: string) => boolean): number {
    return this.#parts.claims.unobserved(isObserved);
  }

  setCapacity(capacity: Capacity): void {
    if (capacity.total > this.#capacity.total) this.#heldSince = undefined;
    this.#capacity = capacity;
    this.#parts.source.setCapacity(capacity.total);
  }

  /** Applies the spec of the RunnerGroup. */
  followSpec({ maxListeners, runnerLabels }: Pick<RunnerGroupSpec, 'maxListeners' | 'runnerLabels'>): void {
    this.#parts.source.setMaxListeners(maxListeners);
    this.#parts.source.setLabels(runnerLabels);
  }

  /**
   * Forgets a delivery whose job has ended, and frees its place. Waits until the source is open: otherwise the source would adopt a
   * job that was released before, and keep its place and its runner forever.
   */
  async release(key: JobKey, signal: AbortSignal): Promise<void> {
    await waitFor(this.#opened, signal);
    await this.#parts.source.release(key, signal);
    this.#parts.deliveries.delete(key);
  }

  /**
   * Frees the places of a job whose record was removed, unless they are free already: a user may have removed it, or the job was
   * recorded by another group to which GitHub had delivered it as well.
   */
  forgetJob(name: string): void {
    /* Not aborted: nothing repeats this, and each step ends by itself. */
    const { signal } = new AbortController();
    for (const key of this.#parts.deliveries.keysOf(name)) {
      this.release(key, signal).catch((error: unknown) =>
        this.#parts.log.warn({ job: name, error: messageOf(error) }, 'could not free the place of a job'),
      );
    }
  }

  /** Adopts a job that an earlier leader has recorded too late to be adopted with the others. @throws ApiError */
  async adoptLate(name: string, record: JobRecord, signal: AbortSignal): Promise<void> {
    await this.#parts.adoption.adoptLate(name, record, signal);
  }

  /** Ends the remaining jobs. */
  endJobs(): void {
    this.#isRetiring = true;
  }

  /** Removes the runners at GitHub, and returns those that remain, such as those that have, or claim, a job. May be called again. */
  async retire(signal: AbortSignal): ReturnType<JobSource['close']> {
    /* A claim that is ended leaves a job that GitHub has assigned and that nobody starts. */
    const { underWay } = this.#parts.claims;
    if (underWay > 0) return { pinned: underWay };
    this.#endOpening();
    this.#isClosed = true;
    this.#retired ??= this.#parts.source.close('retire', signal);
    const retired = this.#retired;
    try {
      const remaining = await retired;
      if (remaining.pinned > 0) this.#retired = undefined;
      return remaining;
    } catch (error) {
      this.#retired = undefined;
      throw error;
    }
  }

  /**
   * Works until `stop` aborts, and then hands over; or until `lost` aborts, because another replica may already lead.
   *
   * @throws Error when the source ended unexpectedly
   */
  async run(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    const { log, group } = this.#parts;
    log.info({}, 'started to lead the RunnerGroup');
    const claiming = claimSignal(this.#parts.clock, stop, lost);
    const handedOver = aborted(signal).then(async () => {
      this.#endOpening();
      await this.#parts.claims.settled();
      await this.#handOver(lost);
    });
    const held = await this.#adopt(signal);
    if (held !== undefined && (await this.#open(held, signal))) await this.#consume(signal, claiming);
    /* After a lost lease, locks are renewed until another leader is observed: the API server may be unavailable for longer than a lock lasts. */
    if (stop.aborted || !lost.aborted) this.abandon();
    if (!signal.aborted && !this.#isClosed)
      throw new Error(`the job source of RunnerGroup ${group} ended unexpectedly`);
    /* A retired source has no more events, and the group is led until it is deleted. */
    await handedOver;
    log.info({}, 'stopped leading the RunnerGroup');
  }

  /** Stops renewing locks after the lease was lost, because another replica or `successor` leads. */
  abandon(successor?: DeliveryNames): void {
    this.#isAbandoned = true;
    this.#parts.adoption.abandon(successor);
    this.#predecessor?.abandon(successor);
    this.#predecessor = undefined;
  }

  /** Closes the source, which ends its events. Makes no call after the lease was lost. */
  async #handOver(lost: AbortSignal): Promise<void> {
    try {
      await this.#parts.source.close('handOver', timeLimit(closeMs, lost));
    } catch (error) {
      this.#parts.log.debug({ error: messageOf(error) }, 'the job source did not close in time');
    }
  }

  async #adopt(signal: AbortSignal) {
    return this.#persist('adopt jobs', signal, async () => {
      const { adoption, deliveries } = this.#parts;
      const held = await adoption.adopt(signal);
      this.#predecessor?.abandon(deliveries);
      this.#predecessor = undefined;
      this.#isAdopted = true;
      this.#parts.onChange();
      return held;
    });
  }

  async #open(held: Parameters<JobSource['open']>[0], signal: AbortSignal): Promise<boolean> {
    const opened = await this.#persist('open the job source', signal, async () => {
      await this.#parts.source.open(held, signal);
      this.#endOpening();
      return true;
    });
    return opened === true;
  }

  /** Repeats a step until it succeeds. Returns undefined when `signal` aborts first. */
  #persist<T>(what: string, signal: AbortSignal, step: () => Promise<T>): Promise<T | undefined> {
    const { clock, random, log } = this.#parts;
    const onFailure = (error: unknown, attempt: number): void =>
      log.warn({ error: messageOf(error), attempt }, `could not ${what}; retrying`);
    return persist(step, { clock, random, backoff: openRetry, leastMs: 250, onFailure }, signal);
  }

  async #consume(signal: AbortSignal, claiming: AbortSignal): Promise<void> {
    const { claims, source } = this.#parts;
    for await (const event of source.events()) {
      if (signal.aborted) break;
      this.#take(event, claiming);
    }
    await claims.settled();
  }

  #take(event: SourceEvent, signal: AbortSignal): void {
    const { claims, metrics, group, onChange, clock } = this.#parts;
    switch (event.type) {
      case 'offered': {
        const shortage = event.isRepeated === true ? undefined : this.#parts.shortage();
        if (shortage === undefined) return claims.take(event.key, signal);
        /* Otherwise the declined job would be offered again at once. */
        this.setCapacity({ total: 0, shortage });
        return claims.decline(event.key, signal);
      }
      case 'held': {
        const reason = this.#capacity.shortage?.reason ?? 'ceiling';
        metrics.count('jobs_admission_rejected_total', { runner_group: group, reason });
        if (this.#heldSince !== undefined) return;
        this.#heldSince = clock.now();
        return onChange();
      }
      case 'unusable':
        return claims.leave(event.key, event.message);
      case 'cancelled':
        return claims.cancel(event.key, event.timeoutMs, signal);
      case 'withdrawn':
        return claims.end(event.key);
      case 'health':
        this.#health = event.health;
        return onChange();
      case 'bound':
        return;
    }
  }
}
