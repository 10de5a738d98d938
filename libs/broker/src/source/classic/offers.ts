import { delay, onAbort } from '@interlock/base';
import type { Broker } from '../../broker.js';
import type { JobOffer } from '../../wire/message.js';
import type { Delivery } from '../agent-store.js';
import type { JobIdentity, JobKey, SourceEvent } from '../job-source.js';
import type { Agent } from './agent.js';
import type { Agents } from './agents.js';
import type { ClassicTimings } from './options.js';
import type { Pollers } from './pollers.js';
import type { Slot, SlotState, Slots } from './slots.js';

export interface OffersOptions {
  broker: Broker;
  slots: Slots;
  agents: Agents;
  pollers: Pollers;
  emit: (event: SourceEvent) => void;
  timings: ClassicTimings;
  life: AbortSignal;
}

/**
 * The deliveries to the runners of a source: offered while there is room, held while there is no room, withdrawn when they
 * expire.
 */
export class Offers {
  readonly #options: OffersOptions;
  /** Wakes the runners that wait for room. */
  readonly #waiting = new Map<Slot, () => void>();

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  /** Handles a delivery. Resolves when the runner may poll again. */
  async receive(agent: Agent, offer: JobOffer): Promise<void> {
    const { slots } = this.#options;
    const known = slots.get(offer.requestId);
    if (known !== undefined && known.agent !== agent) return;
    if (known === undefined && !this.#isUsable(offer)) return;
    const slot = known ?? this.#add(agent, offer, 'held');
    if (slot.state === 'claimed') return;
    if (slot.state === 'held') await this.#hold(slot, known === undefined);
    if (slot.state !== 'held') await slot.outcome;
  }

  /** Offers held jobs while there is room, oldest first, and starts sessions for the remaining room. */
  fill(): void {
    const { slots, pollers } = this.#options;
    for (const slot of slots.held()) {
      if (slots.room === 0) break;
      this.#offer(slot);
    }
    pollers.ensure();
  }

  /** Repeats the offer of an earlier process, which may have claimed it. It keeps its place until the claim is settled. */
  repeat(agent: Agent, delivery: Delivery): void {
    const offer = { ...delivery, shouldAcknowledge: false };
    this.#add(agent, offer, 'offered').isAmbiguous = true;
    this.#options.emit({ type: 'offered', key: delivery.requestId, isRepeated: true });
  }

  /** Takes over a job that an earlier process has claimed. */
  adopt(job: { key: JobKey; identity: JobIdentity }, agent: Agent | undefined): Slot {
    const { key, identity } = job;
    const slot = this.#options.slots.add({ key, agent, state: 'claimed', identity });
    slot.settle('claimed');
    return slot;
  }

  /** Handles the cancellation of a job by a user. A job that is not claimed is no longer offered. */
  cancel(agent: Agent, jobId: string, timeoutMs: number | undefined): void {
    const { slots, emit } = this.#options;
    const slot = slots.ofCancellation(jobId, agent);
    if (slot === undefined || slot.isCancelled) return;
    slot.isCancelled = true;
    const isClaimed = slot.state === 'claimed' || slot.claiming !== undefined || slot.isAmbiguous;
    if (isClaimed) emit({ type: 'cancelled', key: slot.key, timeoutMs });
    else this.withdraw(slot);
  }

  /** Ends an offer that can no longer be claimed. */
  withdraw(slot: Slot): void {
    const { slots, emit, pollers } = this.#options;
    slots.remove(slot, 'returned');
    this.#wake(slot);
    emit({ type: 'withdrawn', key: slot.key });
    if (slot.agent !== undefined) pollers.resume(slot.agent);
    this.fill();
  }

  /** Handles a runner that no longer waits for jobs, and returns whether it has one. */
  forgetRunner(agent: Agent): boolean {
    const { slots } = this.#options;
    let hasJob = false;
    for (const slot of slots.all()) {
      if (slot.agent !== agent) continue;
      if (slot.state === 'held') this.withdraw(slot);
      else hasJob = true;
    }
    return hasJob;
  }

  #add(agent: Agent, offer: JobOffer, state: SlotState): Slot {
    return this.#options.slots.add({ key: offer.requestId, agent, offer, state });
  }

  #isUsable(offer: JobOffer): boolean {
    const { slots, broker, emit } = this.#options;
    if (slots.isFinished(offer.requestId)) return false;
    const problem = broker.hosts.serviceProblem(offer.runServiceUrl);
    if (problem === undefined) return true;
    slots.finish(offer.requestId);
    emit({ type: 'unusable', key: offer.requestId, message: problem.message });
    return false;
  }

  /** Waits for room, up to half a minute: the next poll would immediately return the same job. */
  async #hold(slot: Slot, isNew: boolean): Promise<void> {
    const { slots, broker, emit, timings, life } = this.#options;
    this.#expireLater(slot);
    if (slots.room > 0) {
      this.#offer(slot);
      return;
    }
    if (isNew) emit({ type: 'held', key: slot.key });
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#waiting.set(slot, wake);
    const off = onAbort(life, wake);
    await delay(broker.clock, timings.heldPauseMs, woken.signal);
    off();
    this.#waiting.delete(slot);
  }

  #offer(slot: Slot): void {
    const { broker, slots, emit, pollers } = this.#options;
    slots.offer(slot);
    this.#wake(slot);
    if (slot.agent !== undefined) {
      if (broker.dialect.isSingleUse) pollers.occupy(slot.agent);
      else pollers.grow();
    }
    emit({ type: 'offered', key: slot.key });
  }

  #expireLater(slot: Slot): void {
    const { broker, timings } = this.#options;
    slot.timer?.cancel();
    slot.expiresAt = broker.clock.monotonic() + timings.offerWindowMs;
    slot.timer = broker.clock.setTimeout(() => {
      /* A claim in progress settles the offer. */
      const isOpen = slot.state !== 'claimed' && slot.claiming === undefined && !slot.isAmbiguous;
      if (isOpen && this.#options.slots.get(slot.key) === slot) this.withdraw(slot);
    }, timings.offerWindowMs);
  }

  #wake(slot: Slot): void {
    this.#waiting.get(slot)?.();
  }
}
