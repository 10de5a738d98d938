import type { Clock } from '@interlock/base';
import { virtualBindingOf, type FluxObject } from '@interlock/gating';
import { Later, type Observation } from '@interlock/kube';
import type { Judge } from '../actuator.js';
import { claimsOn, ownClaim, type KnownBindings } from './claims.js';
import type { HoldGuards } from './guards.js';
import type { ObservedHold, OwnGates } from './observed.js';

export interface HoldReaders {
  clock: Pick<Clock, 'monotonic'>;
  judge: Pick<Judge, 'judge' | 'settled'>;
  known: KnownBindings;
  guards: Pick<HoldGuards, 'seen'>;
}

/** For so long after the start nothing is held anew while gates have yet to be evaluated; milliseconds. */
const settlingMs = 10_000;

/** Reads the claims on objects of Flux. */
export class HoldObserver {
  readonly #readers: HoldReaders;
  /** By the monotonic clock. */
  #startedAt: number | undefined;

  constructor(readers: HoldReaders) {
    this.#readers = readers;
  }

  /** As {@link read}, once the gates have had their time to be evaluated after the start. */
  observe(object: FluxObject, now: number): Observation<ObservedHold> {
    const { clock, judge, guards } = this.#readers;
    this.#startedAt ??= clock.monotonic();
    guards.seen(object);
    const waitMs = judge.settled ? 0 : this.#startedAt + settlingMs - clock.monotonic();
    return waitMs > 0 ? new Later(waitMs) : this.read(object, now);
  }

  /** Returns the claims on an object. `now` in milliseconds since the epoch. */
  read(object: FluxObject, now: number): ObservedHold {
    const { judge, known } = this.#readers;
    const own = this.#ownGates(object, now);
    const claims = claimsOn(object, known, now);
    return {
      object,
      claims: own === undefined ? claims : [...claims, ownClaim(object, own.problem, own.verdict)],
      mayRelease: judge.settled,
      own,
    };
  }

  #ownGates(object: FluxObject, now: number): OwnGates | undefined {
    const virtual = virtualBindingOf(object);
    if (virtual === undefined) return undefined;
    return { problem: virtual.problem, verdict: this.#readers.judge.judge(virtual.binding, now) };
  }
}
