import type { FluxObject } from '@interlock/gating';
import type { EventRecorder, ReconcileContext } from '@interlock/kube';
import { actOnHold, type HoldActors, type HoldOutcome } from './act.js';
import { warningsOf } from './conclude.js';
import { decideHold, type HoldDecision } from './decide.js';
import type { HoldObserver } from './observe.js';
import type { ObservedHold } from './observed.js';

interface HolderParts extends HoldActors {
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
   * Decides about an object and acts at once.
   *
   * @throws ApiError
   */
  async settle(object: FluxObject, context: ReconcileContext): Promise<HoldOutcome> {
    const { observed, decision } = this.#decide(object, context.now);
    const outcome = await actOnHold(this.#parts, observed, decision, context);
    for (const event of warningsOf(decision, outcome)) this.#parts.events.record(object, event);
    return outcome;
  }

  #decide(object: FluxObject, now: number): { observed: ObservedHold; decision: HoldDecision } {
    const observed = this.#parts.observer.read(object, now);
    return { observed, decision: decideHold(object, observed.claims, observed.mayRelease, now) };
  }
}
