import { LRUCache } from 'lru-cache';
import type { JobOffer } from '../../wire/message.js';
import type { Claim, JobIdentity, JobKey, Refused, RunReference } from '../job-source.js';
import type { Agent } from './agent.js';

/**
 * - `held`: seen, and not offered for want of capacity.
 * - `offered`: it may be claimed.
 * - `claimed`: this process, or an earlier one, holds it.
 */
export type SlotState = 'held' | 'offered' | 'claimed';

/** What became of an offer, for the runner that received it. */
export type SlotOutcome = 'claimed' | 'returned' | 'unusable';

/** A job that was offered to a runner of this source. */
export interface Slot {
  readonly key: JobKey;
  state: SlotState;
  /** Undefined for a job of an earlier process whose runner is not on record. */
  readonly agent: Agent | undefined;
  readonly offer: JobOffer | undefined;
  /** Milliseconds of the monotonic clock until which it may be claimed. */
  expiresAt: number;
  /** A claim may have gone out whose answer is not known. */
  isAmbiguous: boolean;
  isCancelled: boolean;
  claiming: Promise<Claim | Refused> | undefined;
  claim: Claim | undefined;
  identity: JobIdentity | undefined;
  run: RunReference | undefined;
  orchestrationId: string | undefined;
  timer: { cancel(): void } | undefined;
  /** Settles when the runner need not wait any longer. */
  readonly outcome: Promise<SlotOutcome>;
  readonly settle: (outcome: SlotOutcome) => void;
}

const maxFinished = 1_000;
const finishedMs = 10 * 60_000;

/** The jobs of one source: those that count against its capacity, and those that wait for room. */
export class Slots {
  readonly #slots = new Map<JobKey, Slot>();
  /** Deliveries that cannot be claimed, which the service may repeat. */
  readonly #finished = new LRUCache<JobKey, true>({ max: maxFinished, ttl: finishedMs });
  #capacity = 0;

  setCapacity(total: number): void {
    this.#capacity = Math.max(0, Math.floor(total));
  }

  /** How many more jobs may be offered; never negative. */
  get room(): number {
    let used = 0;
    for (const { state } of this.#slots.values()) if (state !== 'held') used += 1;
    return Math.max(0, this.#capacity - used);
  }

  all(): Slot[] {
    return [...this.#slots.values()];
  }

  get(key: JobKey): Slot | undefined {
    return this.#slots.get(key);
  }

  add(slot: Omit<Slot, 'outcome' | 'settle'>): Slot {
    let settle: (outcome: SlotOutcome) => void = () => undefined;
    const outcome = new Promise<SlotOutcome>((resolve) => (settle = resolve));
    const added = { ...slot, outcome, settle };
    this.#slots.set(slot.key, added);
    return added;
  }

  /** Frees the place of a job. */
  remove(slot: Slot, outcome: SlotOutcome): void {
    slot.timer?.cancel();
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    slot.settle(outcome);
  }

  /** Remembers that a delivery cannot be claimed. */
  finish(key: JobKey): void {
    this.#finished.set(key, true);
  }

  isFinished(key: JobKey): boolean {
    return this.#finished.has(key);
  }

  /** Returns the job that a cancellation names: by its id, by that of its delivery, or as the one job of its runner. */
  ofCancellation(jobId: string, agent: Agent): Slot | undefined {
    const slots = this.all();
    return (
      slots.find(({ key, identity }) => key === jobId || identity?.jobId === jobId) ??
      single(slots.filter((slot) => slot.agent === agent))
    );
  }

  /** Returns the claimed job that is the same as this one, delivered twice. */
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

/** Deliveries of one job share the plan; where both name more of the job, that decides. */
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
