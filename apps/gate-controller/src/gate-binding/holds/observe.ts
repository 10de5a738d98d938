import type { Clock } from '@interlock/base';
import { virtualBindingOf, type FluxObject } from '@interlock/gating';
import { Later, type Observation } from '@interlock/kube';
import type { Judge } from '../actuator.js';
import { claimsOn, ownClaim, type KnownBindings } from './claims.js';
import type { HoldGuards } from './guards.js';
import type { ObservedHold, OwnGates } from './observed.js';

interface HoldReaders {
  clock: Pick<Clock, 'monotonic'>;
  judge: Pick<Judge, 'judge' | 'settled'>;
  known: KnownBindings;
  guards: Pick<HoldGuards, 'seen'>;
}

/** For this time after the start, no object is newly held while gates have not been evaluated yet; in milliseconds. */
const settlingMs = 10_000;

/** Reads the claims on Flux objects. */
export class HoldObserver {
  readonly #readers: HoldReaders;
  /** Monotonic time of the start. */
  #startedAt: number | undefined;

  constructor(readers: HoldReaders) {
    this.#readers = readers;
  }

  /** Returns the result of {@link read} once the gates have had time to be evaluated after the start. */
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
