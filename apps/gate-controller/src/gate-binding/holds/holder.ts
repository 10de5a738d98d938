import type { Clock } from '@interlock/base';
import type { FluxObject } from '@interlock/gating';
import type { EventRecorder, ReconcileContext } from '@interlock/kube';
import { actOnHold, type HoldActors, type HoldOutcome } from './act.js';
import { warningsOf } from './conclude.js';
import { decideHold, type HoldDecision } from './decide.js';
import type { HoldObserver } from './observe.js';
import type { ObservedHold } from './observed.js';

interface HolderParts extends HoldActors {
  clock: Pick<Clock, 'now'>;
  observer: Pick<HoldObserver, 'read'>;
  events: Pick<EventRecorder, 'record'>;
}

/** Updates objects at once, outside of their reconcilers, for a binding that waits for them. */
export class Holder {
  readonly #parts: HolderParts;

  constructor(parts: HolderParts) {
    this.#parts = parts;
  }

  /** Returns whether an object must be written. `now` in milliseconds since the epoch. */
  isDue(object: FluxObject, now: number): boolean {
    const { type } = this.#decide(object, now).decision;
    return type === 'hold' || type === 'release';
  }

  /**
   * Decides about an object and acts at once. The reconcile of the binding may have begun long before, and gates may have closed
   * since then.
   *
   * @throws ApiError
   */
  async settle(object: FluxObject, context: Pick<ReconcileContext, 'signal'>): Promise<HoldOutcome> {
    const { observed, decision } = this.#decide(object, this.#parts.clock.now());
    const outcome = await actOnHold(this.#parts, observed, decision, context);
    for (const event of warningsOf(decision, outcome)) this.#parts.events.record(object, event);
    return outcome;
  }

  #decide(object: FluxObject, now: number): { observed: ObservedHold; decision: HoldDecision } {
    const observed = this.#parts.observer.read(object, now);
    return { observed, decision: decideHold(object, observed.claims, observed.mayRelease, now) };
  }
}
