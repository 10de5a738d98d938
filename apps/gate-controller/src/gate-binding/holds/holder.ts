import { fieldManagers, isTyped, messageOf as textOf } from '@interlock/api';
import type { EventRecorder, Manager, ReconcileContext, ReconcileResult } from '@interlock/kube';
import type { GateMetrics } from '../../metrics.js';
import type { Judge } from '../actuator.js';
import type { Claim } from './claim.js';
import { claimsOn, ownClaim, type KnownBindings } from './claims.js';
import { configurationOf } from './configuration.js';
import { decideHold, type HoldDecision } from './decide.js';
import { holdOf } from './hold.js';
import { flux, referenceOf, referenceString, type FluxObject } from './objects.js';
import type { Failure } from './report.js';
import { virtualBindingOf } from './virtual-binding.js';

/** For so long after the start nothing is held anew while gates have yet to be evaluated; milliseconds. */
const settlingMs = 10_000;
/** How often sources are looked at that ask for gates by annotations; a state that is not renewed closes. Milliseconds. */
const resyncMs = 60_000;

export interface HolderOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'record'>;
  metrics: Pick<GateMetrics, 'actuationFailed'>;
  judge: Judge;
  known: KnownBindings;
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

  /** Does what is to be done about an object now. @throws ApiError */
  async settle(
    object: FluxObject,
    { now, signal }: Pick<ReconcileContext, 'now' | 'signal'>,
  ): Promise<HoldDecision> {
    const decision = decideHold(object, this.#claims(object, now), this.options.judge.settled, now);
    if (decision.type !== 'hold' && decision.type !== 'release') {
      this.forget(object);
      return decision;
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
      if (isTyped(error, 'NotFound', 'Conflict')) return { type: 'free' };
      this.#fail(object, decision, error);
      throw error;
    }
    return decision;
  }

  /** As {@link settle}, for the controller of a kind. */
  async reconcile(object: FluxObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { now } = context;
    this.#startedAt ??= now;
    const waitMs = this.options.judge.settled ? 0 : this.#startedAt + settlingMs - now;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await this.settle(object, context);
    return virtualBindingOf(object) === undefined ? undefined : { requeueAfterMs: resyncMs };
  }

  #claims(object: FluxObject, now: number): Claim[] {
    const claims = claimsOn(object, this.options.known);
    const virtual = virtualBindingOf(object);
    if (virtual === undefined) return claims;
    const verdict = this.options.judge.judge(virtual.binding, now);
    const unknown = verdict.gates.filter(({ state }) => state === 'Unknown').map(({ message }) => message);
    const problem = virtual.problem ?? (unknown.length > 0 ? unknown.join('; ') : undefined);
    if (problem !== undefined) {
      this.options.events.record(object, {
        type: 'Warning',
        reason: 'InvalidGates',
        action: 'Hold',
        note: problem,
      });
    }
    return [...claims, ownClaim(object, virtual, verdict)];
  }

  #fail(object: FluxObject, decision: HoldDecision, error: unknown): void {
    this.options.metrics.actuationFailed(
      decision.type === 'hold' && decision.means.type === 'pin' ? 'Pin' : 'Suspend',
    );
    const verb = decision.type === 'release' && holdOf(object) !== undefined ? 'release' : 'hold';
    this.#failures.set(referenceString(referenceOf(object)), {
      reason: isTyped(error, 'Unauthorized') ? 'Forbidden' : 'NotHeld',
      message: `cannot ${verb} it: ${textOf(error)}`,
    });
  }
}
