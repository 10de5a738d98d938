import type { Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { JobOffer } from '../../wire/message.js';
import type { Claim, JobIdentity, JobKey, Refused, RunReference } from '../job-source.js';
import type { Agent } from './agent.js';

/**
 * - `held`: delivered, but not offered because there is no capacity.
 * - `offered`: it may be claimed.
 * - `claimed`: this process, or an earlier one, holds it.
 */
export type SlotState = 'held' | 'offered' | 'claimed';

/** The outcome of an offer, for the runner that received it. */
type SlotOutcome = 'claimed' | 'returned' | 'unusable';

/** A job that was offered to a runner of this source. */
export interface Slot {
  readonly key: JobKey;
  /** Changed only by {@link Slots}. */
  state: SlotState;
  /** Undefined for a job of an earlier process whose runner is not recorded. */
  readonly agent: Agent | undefined;
  readonly offer: JobOffer | undefined;
  /** Until when it may be claimed, in milliseconds of the monotonic clock. */
  expiresAt: number;
  /** Whether a claim may have been sent whose answer is not known. */
  isAmbiguous: boolean;
  isCancelled: boolean;
  claiming: Promise<Claim | Refused> | undefined;
  claim: Claim | undefined;
  /** Changed only by {@link Slots}. */
  identity: JobIdentity | undefined;
  run: RunReference | undefined;
  orchestrationId: string | undefined;
  timer: { cancel(): void } | undefined;
  /** Resolves when the runner no longer needs to wait. */
  readonly outcome: Promise<SlotOutcome>;
  readonly settle: (outcome: SlotOutcome) => void;
}

const maxFinished = 1_000;
const finishedMs = 10 * 60_000;
const firstRefusalMs = 5_000;

/** A delivery that is not claimed for some time. */
interface Finished {
  /** Milliseconds of the monotonic clock. */
  until: number;
  refusals: number;
}

/** The jobs of one source: those that count against its capacity, and those that wait for room. */
export class Slots {
  readonly #slots = new Map<JobKey, Slot>();
  /** The held jobs, which do not count against the capacity, in their order. */
  readonly #held = new Set<Slot>();
  readonly #byJobId = new Map<string, Slot>();
  /** Deliveries that cannot be claimed, which the service may repeat. */
  readonly #finished = new LRUCache<JobKey, Finished>({ max: maxFinished });
  readonly #clock: Pick<Clock, 'monotonic'>;
  #capacity = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  setCapacity(total: number): void {
    this.#capacity = Math.max(0, Math.floor(total));
  }

  /** How many more jobs may be offered; never negative. */
  get room(): number {
    return Math.max(0, this.#capacity - (this.#slots.size - this.#held.size));
  }

  all(): Slot[] {
    return [...this.#slots.values()];
  }

  /** Returns the jobs that wait for room, oldest first. */
  held(): Slot[] {
    return [...this.#held];
  }

  get(key: JobKey): Slot | undefined {
    return this.#slots.get(key);
  }

  /** Adds a job. @param slot its known fields; by default it is held */
  add(slot: Pick<Slot, 'key' | 'agent'> & Partial<Pick<Slot, 'state' | 'offer' | 'identity'>>): Slot {
    let settle: (outcome: SlotOutcome) => void = () => undefined;
    const outcome = new Promise<SlotOutcome>((resolve) => (settle = resolve));
    /* Spread syntax would give each slot a hidden class of its own, which takes more memory than the slot. */
    const added: Slot = {
      key: slot.key,
      state: slot.state ?? 'held',
      agent: slot.agent,
      offer: slot.offer,
      expiresAt: Infinity,
      isAmbiguous: false,
      isCancelled: false,
      claiming: undefined,
      claim: undefined,
      identity: slot.identity,
      run: undefined,
      orchestrationId: undefined,
      timer: undefined,
      outcome,
      settle,
    };
    this.#slots.set(slot.key, added);
    if (added.state === 'held') this.#held.add(added);
    if (added.identity !== undefined) this.#byJobId.set(added.identity.jobId, added);
    return added;
  }

  /** Gives a slot a place, so that it may be claimed. */
  offer(slot: Slot): void {
    slot.state = 'offered';
    this.#held.delete(slot);
  }

  /** Records that the job of a slot is claimed. */
  take(slot: Slot, job: Pick<Slot, 'identity' | 'run' | 'orchestrationId' | 'claim'>): void {
    this.#held.delete(slot);
    Object.assign(slot, { ...job, state: 'claimed', isAmbiguous: false });
    if (job.identity !== undefined) this.#byJobId.set(job.identity.jobId, slot);
  }

  /** Frees the place of a job. */
  remove(slot: Slot, outcome: SlotOutcome): void {
    slot.timer?.cancel();
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    this.#held.delete(slot);
    const jobId = slot.identity?.jobId;
    if (jobId !== undefined && this.#byJobId.get(jobId) === slot) this.#byJobId.delete(jobId);
    slot.settle(outcome);
  }

  /** Remembers for ten minutes that a delivery cannot be claimed. */
  finish(key: JobKey): void {
    this.#finish(key, finishedMs);
  }

  /**
   * Remembers that a claim was refused. The service may deliver the job again with the same id, to another runner, after the refused
   * claim came too late or was not heard. GitHub's runner claims each delivery (`Runner.cs`, `ErrorThrottler`); here every refusal
   * costs a runner, so the time doubles from five seconds to ten minutes.
   */
  refuse(key: JobKey): void {
    const refusals = this.#finished.get(key)?.refusals ?? 0;
    this.#finish(key, Math.min(finishedMs, firstRefusalMs * 2 ** refusals), refusals + 1);
  }

  isFinished(key: JobKey): boolean {
    return (this.#finished.get(key)?.until ?? -Infinity) > this.#clock.monotonic();
  }

  #finish(key: JobKey, ms: number, refusals = 0): void {
    this.#finished.set(key, { until: this.#clock.monotonic() + ms, refusals });
  }

  /** Returns the job that a cancellation names: by its id, by the id of its delivery, or as the only job of its runner. */
  ofCancellation(jobId: string, agent: Agent): Slot | undefined {
    return (
      this.#slots.get(jobId) ??
      this.#byJobId.get(jobId) ??
      single(this.all().filter((slot) => slot.agent === agent))
    );
  }

  /** Returns the other claimed delivery of the same job. */
  twin(
    identity: JobIdentity,
    run: RunReference | undefined,
    orchestrationId: string | undefined,
  ): Slot | undefined {
    return this.all().find(
      (slot) => slot.identity !== undefined && isSame(slot, identity, run, orchestrationId),
    );
  }
}

/** Returns whether two deliveries are of one job: they have the same plan, and the same further ids if both have them. */
function isSame(
  slot: Slot,
  identity: JobIdentity,
  run: RunReference | undefined,
  orchestrationId: string | undefined,
): boolean {
  if (slot.identity?.planId !== identity.planId) return false;
  if (slot.identity.jobId === identity.jobId) return true;
  const [ours, theirs] = [slot.run?.restJobId, run?.restJobId];
  if (ours !== undefined && theirs !== undefined) return ours === theirs;
  if (slot.orchestrationId !== undefined && orchestrationId !== undefined) {
    return slot.orchestrationId === orchestrationId;
  }
  return true;
}

function single<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
