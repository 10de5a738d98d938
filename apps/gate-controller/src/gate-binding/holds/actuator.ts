import {
  finalizers,
  fluxKinds,
  keyOf,
  TypedError,
  type GateBinding,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import type { Logger } from '@interlock/base';
import {
  generationChanged,
  type Cache,
  type CacheEvent,
  type ControllerHandle,
  type EventRecorder,
  type Manager,
  type ReconcileContext,
} from '@interlock/kube';
import { requestsGates, bindsObject, boundBy, type FluxObject } from '@interlock/gating';
import type { GateMetrics } from '../../metrics.js';
import type { Actuator, ActuatorReport, BindingVerdict, BoundTarget, Judge } from '../actuator.js';
import { FluxCaches, placeChanged, somethingChanged } from './caches.js';
import { BindingIndex } from './binding-index.js';
import { bindingKey, type KnownBindings } from './claims.js';
import { eachOf } from '../each.js';
import type { Holding } from '../finalizer.js';
import { HoldFailures } from './failures.js';
import { FluxIndex } from './flux-index.js';
import { rootOf } from './graph.js';
import { HoldGuards } from './guards.js';
import { holdOf, isHeldBy } from './hold.js';
import { Holder } from './holder.js';
import { HoldObserver } from './observe.js';
import { addHoldReconciler } from './reconciler.js';
import { kindsOf } from './kinds.js';
import { bindingsNear, type BoundObjects } from './near.js';
import { reportOf } from './report.js';
import { joinsNear } from './skew.js';
import { Wakes } from './wakes.js';

interface HoldActuatorOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  metrics: Pick<GateMetrics, 'actuationFailed'>;
  /** Uniform in [0, 1). */
  random: () => number;
  bindings: Cache<GateBinding>;
  judge: Judge;
  /** Returns the existing gates of a binding, and the objects that close them. */
  decidersOf(binding: GateBinding): readonly KubeObject[];
  /** Milliseconds between two checks for kinds that may be installed later. */
  discoveryIntervalMs?: number | undefined;
}

/** Maximum number of objects that are released concurrently for one binding. */
const concurrency = 8;
/** Minimum interval at which changes of its targets wake a binding; in milliseconds. */
const wakeIntervalMs = 1_000;
/** The same interval if a target took a revision after which an override may end. */
const urgentIntervalMs = 200;

/**
 * Holds Flux objects by `spec.suspend`, or by pinning the revision. A reconciler of each kind decides for each object,
 * from all bindings that apply to it; the verdicts of the gates reach it through {@link act}.
 */
export class HoldActuator implements Actuator {
  readonly modes = ['Observe', 'Suspend', 'Pin'] as const;
  readonly #options: HoldActuatorOptions;
  readonly #caches: FluxCaches;
  readonly #holder: Holder;
  readonly #failures: HoldFailures;
  readonly #guards = new HoldGuards();
  /** All objects, and the bindings that apply to Flux objects. */
  readonly #index: FluxIndex;
  readonly #bound: BoundObjects;
  readonly #handles = new Map<string, ControllerHandle>();
  readonly #verdicts = new Map<string, BindingVerdict>();
  readonly #wakes: Wakes;
  readonly #urgentWakes: Wakes;

  constructor(options: HoldActuatorOptions) {
    const { manager, events, metrics, judge } = options;
    const { client, clock } = manager;
    this.#options = options;
    this.#caches = new FluxCaches(options);
    this.#index = new FluxIndex(this.#caches.all);
    this.#bound = { objects: this.#caches, bindings: new BindingIndex(options.bindings) };
    const guards = this.#guards;
    const failures = new HoldFailures({ metrics, onFailure: (object) => this.#wakeBindingsOf(object) });
    this.#failures = failures;
    const observer = new HoldObserver({ clock, judge, known: this.#known(), guards });
    const recheck = (object: FluxObject) => this.#enqueue([object]);
    const actors = { client, guards, failures, recheck };
    this.#holder = new Holder({ ...actors, clock, observer, events });
    for (const cache of this.#caches.all) {
      this.#handles.set(cache.kind.kind, addHoldReconciler(cache, { ...actors, manager, observer }));
    }
    this.#wakes = new Wakes(clock, wakeIntervalMs);
    this.#urgentWakes = new Wakes(clock, urgentIntervalMs);
    this.#watch();
  }

  #known(): KnownBindings {
    return { ...this.#bound, verdictOf: (binding) => this.#verdicts.get(bindingKey(binding)) };
  }

  #watch(): void {
    const { bindings, judge } = this.#options;
    for (const cache of this.#caches.all) {
      cache.subscribe((event) => this.#objectChanged(event));
      cache.onAvailability(() => bindings.list().forEach((binding) => this.#wakes.add(keyOf(binding))));
    }
    bindings.subscribe((event) => {
      if (!generationChanged(event)) return;
      if (event.type === 'updated') this.#wakeNeighbours(event.old);
      this.#wakeNeighbours(event.object);
      if (event.type !== 'deleted') return;
      this.#verdicts.delete(bindingKey(event.object));
      this.#guards.forgetBinding(keyOf(event.object));
      this.#enqueue(this.#index.heldBy(event.object));
    });
    judge.subscribe((gate) => {
      if (gate === 'all') this.#enqueue(this.#caches.filter(isConcerned));
      else this.#enqueue(this.#index.requesting(gate));
    });
  }

  subscribe(wake: (binding: ObjectKey) => void): void {
    this.#wakes.subscribe(wake);
    this.#urgentWakes.subscribe(wake);
    this.#guards.onRequest(wake);
  }

  holding(binding: GateBinding): Holding {
    const key = keyOf(binding);
    return {
      isHolding: this.#guards.isPending(key) || this.#index.heldBy(binding).length > 0,
      isRequested: this.#guards.isRequested(key),
      isKnown: this.#caches.unread().length === 0,
    };
  }

  guard(binding: GateBinding): void {
    for (const { kind, ...key } of this.#guards.guard(keyOf(binding))) this.#handles.get(kind)?.enqueue(key);
  }

  unguard(binding: GateBinding): void {
    this.#guards.unguard(keyOf(binding));
  }

  targets(binding: GateBinding): BoundTarget[] {
    return this.#boundBy(binding).map(({ kind, metadata, status }) => ({
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      revision: status.revision,
    }));
  }

  async act(
    binding: GateBinding,
    verdict: BindingVerdict,
    context: ReconcileContext,
  ): Promise<ActuatorReport> {
    const { now } = context;
    const kinds = kindsOf(binding);
    await this.#caches.read(kinds, context.signal);
    this.#verdicts.set(bindingKey(binding), verdict);
    const targets = this.#boundBy(binding);
    const concerned = new Set([...targets, ...this.#index.heldBy(binding)]);
    this.#enqueue([...concerned].filter((object) => this.#holder.isDue(object, now)));
    const input = {
      binding,
      verdict,
      targets,
      gated: this.#bound,
      related: this.#index,
      deciders: [binding, ...this.#options.decidersOf(binding)],
      failureOf: (object: FluxObject) => this.#failures.of(object),
      absent: this.#caches.absent(kinds),
      unread: this.#caches.unread(kinds),
    };
    return reportOf(input, now);
  }

  /**
   * Releases what only this binding holds.
   *
   * @throws TypedError `Transient` while it is not known what is held, or whether it may be released
   */
  async release(binding: GateBinding, context: ReconcileContext): Promise<void> {
    this.#verdicts.delete(bindingKey(binding));
    this.#guards.unguard(keyOf(binding));
    if (binding.metadata.finalizers?.includes(finalizers.gateBinding) !== true) return;
    await this.#caches.read(fluxKinds, context.signal);
    const unread = this.#caches.unread();
    if (unread.length > 0)
      throw new TypedError('Transient', `the objects of ${unread.join(', ')} are not known yet`);
    if (this.#guards.isPending(keyOf(binding)))
      throw new TypedError('Transient', 'a hold for the binding is being written');
    await eachOf(this.#index.heldBy(binding), concurrency, async (object) => {
      if ((await this.#holder.settle(object, context)) !== 'waiting') return;
      throw new TypedError(
        'Transient',
        `gates that hold ${object.kind} ${object.metadata.name} have not been evaluated yet`,
      );
    });
  }

  #boundBy(binding: GateBinding): FluxObject[] {
    return boundBy(binding, this.#caches, (source) => this.#index.takersOf(source));
  }

  #objectChanged(event: CacheEvent<FluxObject>): void {
    const { object } = event;
    if (event.type === 'deleted') {
      this.#guards.forgetObject(object);
    }
    if (!somethingChanged(event)) return;
    const moved = placeChanged(event);
    const took = event.type === 'updated' && event.old.status.revision !== object.status.revision;
    const takers = moved || took ? this.#index.takersOf(object) : [];
    if (moved) this.#enqueue(takers);
    /* The content of a source waits where it is applied. */
    const states = [...(event.type === 'updated' ? [event.old] : []), object, ...takers];
    const wakes = took ? this.#urgentWakes : this.#wakes;
    /* If an applier and its source wait for different gates, both are affected. */
    const bound = moved ? [...states, ...states.map((state) => rootOf(state, this.#caches))] : states;
    for (const binding of bindingsNear(bound, this.#bound)) {
      const isBound = (state: FluxObject) => bindsObject(binding, state, this.#caches);
      if (bound.some(isBound) || states.some((state) => isHeldBy(state, binding))) wakes.add(keyOf(binding));
    }
  }

  #wakeBindingsOf(object: FluxObject): void {
    for (const binding of this.#bindersOf([object])) this.#wakes.add(keyOf(binding));
  }

  #bindersOf(some: readonly FluxObject[]): GateBinding[] {
    return bindingsNear(some, this.#bound).filter((binding) =>
      some.some((object) => bindsObject(binding, object, this.#caches)),
    );
  }

  /**
   * Wakes the other bindings of objects that must proceed together with the objects of a binding, because it determines whether all
   * of them wait for the same gates.
   */
  #wakeNeighbours(changed: GateBinding): void {
    const joins = joinsNear(this.#boundBy(changed), this.#caches, this.#index);
    const joined = joins.flatMap(({ one, other }) => [one, other]);
    const both = new Set(joined.flatMap((object) => [object, rootOf(object, this.#caches)]));
    for (const binding of this.#bindersOf([...both])) {
      if (bindingKey(binding) !== bindingKey(changed)) this.#wakes.add(keyOf(binding));
    }
  }

  #enqueue(objects: readonly FluxObject[]): void {
    for (const object of objects) this.#handles.get(object.kind)?.enqueue(keyOf(object));
  }
}

function isConcerned(object: FluxObject): boolean {
  return requestsGates(object) || holdOf(object) !== undefined;
}
