import { annotations, fieldManagers, isTyped, messageOf as textOf } from '@interlock/api';
import type { EventRecorder, Manager, ReconcileContext, ReconcileResult } from '@interlock/kube';
import {
  asksForGates,
  flux,
  type FluxObject,
  referenceOf,
  referenceString,
  virtualBindingOf,
} from '@interlock/gating';
import type { GateMetrics } from '../../metrics.js';
import type { BindingVerdict, Judge } from '../actuator.js';
import { claimsOn, ownClaim, type KnownBindings } from './claims.js';
import { configurationOf } from './configuration.js';
import { decideHold, type HoldDecision } from './decide.js';
import type { HoldGuards } from './guards.js';
import { holdOf } from './hold.js';
import type { Failure } from './report.js';

/** For so long after the start nothing is held anew while gates have yet to be evaluated; milliseconds. */
const settlingMs = 10_000;
/** How often sources are looked at that ask for gates by annotations; a state that is not renewed closes. Milliseconds. */
const resyncMs = 60_000;

const noSource = `annotation ${annotations.gates} is for sources; hold what applies from them by a GateBinding with scope All`;

export interface HolderOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'record'>;
  metrics: Pick<GateMetrics, 'actuationFailed'>;
  judge: Judge;
  known: KnownBindings;
  guards: HoldGuards;
  /** Reconciles an object again, as soon as the cache shows what was written. */
  recheck(object: FluxObject): void;
  /** Is called when an object cannot be written for another reason than before. */
  onFailure(object: FluxObject): void;
}

/** Holds and releases one object at a time, by all that is said about it. */
export class Holder {
  readonly #failures = new Map<string, Failure>();
  #startedAt: number | undefined;

  constructor(private readonly options: HolderOptions) {}

  failureOf(object: FluxObject): Failure | undefined {
    return this.#failures.get(referenceString(referenceOf(object)));
  }

  forget(object: FluxObject): void {
    this.#failures.delete(referenceString(referenceOf(object)));
  }

  /** @returns whether something is to be written to an object. */
  isDue(object: FluxObject, now: number): boolean {
    const { type } = this.#decide(object, now);
    return type === 'hold' || type === 'release';
  }

  /** Does what is to be done about an object now; `wait`: it cannot be done yet. @throws ApiError */
  async settle(
    object: FluxObject,
    { now, signal }: Pick<ReconcileContext, 'now' | 'signal'>,
  ): Promise<HoldDecision> {
    const decision = this.#decide(object, now);
    if (decision.type !== 'hold' && decision.type !== 'release') {
      this.forget(object);
      return decision;
    }
    if (decision.type === 'hold' && !this.options.guards.begin(object, decision.hold.by)) {
      return { type: 'wait' };
    }
    if (decision.type === 'hold' && decision.warning) {
      this.options.events.record(object, { type: 'Warning', action: 'Hold', ...decision.warning });
    }
    const configuration = configurationOf(object, decision.type === 'hold' ? decision : undefined);
    const options = { fieldManager: fieldManagers.gateController, signal };
    try {
      await this.options.manager.client.apply(flux[object.kind], configuration, options);
      this.forget(object);
    } catch (error) {
      /* It is gone, or another one has its name: there is nothing to hold, or an event to come. */
      if (isTyped(error, 'NotFound', 'Conflict') && error.reason !== 'LeadershipLost')
        return { type: 'free' };
      this.#fail(object, decision, error);
      throw error;
    } finally {
      this.options.guards.written(object);
      if (decision.type === 'hold') this.options.recheck(object);
    }
    return decision;
  }

  /** As {@link settle}, for the controller of a kind. */
  async reconcile(object: FluxObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { now } = context;
    const { guards, judge, manager } = this.options;
    const { clock } = manager;
    this.#startedAt ??= clock.monotonic();
    guards.seen(object);
    const waitMs = judge.settled ? 0 : this.#startedAt + settlingMs - clock.monotonic();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await this.settle(object, context);
    if (!asksForGates(object)) return undefined;
    const virtual = this.#virtual(object, now);
    this.#warn(object, virtual === undefined ? noSource : (virtual.problem ?? unknownIn(virtual.verdict)));
    return virtual && { requeueAfterMs: resyncMs };
  }

  /** Tells whoever looks at an object what is wrong with its annotations, or with a gate that they name. */
  #warn(object: FluxObject, note: string): void {
    if (note === '') return;
    this.options.events.record(object, { type: 'Warning', reason: 'InvalidGates', action: 'Hold', note });
  }

  #decide(object: FluxObject, now: number): HoldDecision {
    const claims = claimsOn(object, this.options.known, now);
    const virtual = this.#virtual(object, now);
    const all =
      virtual === undefined ? claims : [...claims, ownClaim(object, virtual.problem, virtual.verdict)];
    return decideHold(object, all, this.options.judge.settled, now);
  }

  #virtual(object: FluxObject, now: number) {
    const virtual = virtualBindingOf(object);
    return virtual && { ...virtual, verdict: this.options.judge.judge(virtual.binding, now) };
  }

  #fail(object: FluxObject, decision: HoldDecision, error: unknown): void {
    this.options.metrics.actuationFailed(
      decision.type === 'hold' && decision.means.type === 'pin' ? 'Pin' : 'Suspend',
    );
    const verb = decision.type === 'release' && holdOf(object) !== undefined ? 'release' : 'hold';
    const key = referenceString(referenceOf(object));
    const known = this.#failures.get(key);
    const failure: Failure = {
      reason: isTyped(error, 'Unauthorized') ? 'Forbidden' : 'NotHeld',
      message: `cannot ${verb} it: ${textOf(error)}`,
    };
    this.#failures.set(key, failure);
    if (failure.message !== known?.message) this.options.onFailure(object);
  }
}

function unknownIn({ gates }: BindingVerdict): string {
  return gates
    .filter(({ state }) => state === 'Unknown')
    .map(({ message }) => message)
    .join('; ');
}
