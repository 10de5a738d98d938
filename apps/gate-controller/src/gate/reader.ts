import { keyOf, type Gate, type GateKeeper, type GateOverride, type ObjectKey } from '@interlock/api';
import {
  approvedRevisions,
  believedState,
  defaultStateTtlMs,
  keeperCache,
  type DecideOptions,
  type GateDecision,
  type KeeperInput,
  type Reading,
  type Subject,
} from '@interlock/gating';
import { keepersOf, liveOverridesOf, type GateCaches } from '../caches.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import { EndedOverrides } from './ended-overrides.js';
import { decideObservedGate, type ObservedGate } from './engine.js';

/** Evaluates gates from caches. */
export class GateReader {
  readonly options: DecideOptions;
  readonly ended: EndedOverrides;

  readonly #caches: GateCaches;
  readonly #inputs: Pick<KeeperInputs, 'of'>;

  constructor(
    caches: GateCaches,
    inputs: Pick<KeeperInputs, 'of'>,
    options: Pick<DecideOptions, 'stateTtlMs' | 'stamps'>,
  ) {
    this.#caches = caches;
    this.#inputs = inputs;

    this.options = { ...options, compile: keeperCache() };
    this.ended = new EndedOverrides(caches, options.stateTtlMs ?? defaultStateTtlMs);
  }

  get(key: ObjectKey): Gate | undefined {
    return this.#caches.gates.get(key);
  }

  /**
   * Returns a gate and the objects that decide its state, like {@link observeGate}; undefined if the gate does not
   * exist.
   */
  observe(key: ObjectKey): ObservedGate | 'pending' | undefined {
    const gate = this.#caches.gates.get(key);
    return gate && this.observeGate(gate);
  }

  /**
   * Returns the objects that decide the state of a gate; `pending` for the seconds until the objects that its keepers
   * refer to have been read.
   */
  observeGate(gate: Gate): ObservedGate | 'pending' {
    const keepers: KeeperInput[] = [];
    for (const keeper of keepersOf(this.#caches, keyOf(gate))) {
      if (isLeaving(keeper)) continue;
      const input = this.#inputs.of(keeper);
      if (input === undefined) return 'pending';
      keepers.push(input);
    }
    const overrides = this.overridesOf(gate).filter(counts);
    return { gate, keepers, overrides, recordedAt: this.ended.recordedAt(gate) };
  }

  /** Returns the overrides that the state of a gate depends on; see `relevantOverrides`. */
  overridesOf(gate: Gate): readonly GateOverride[] {
    return this.ended.relevantTo(gate);
  }

  /** Returns the decision about a gate at any time, now or later. The time is in milliseconds since the epoch. */
  decide(observed: ObservedGate, at: number, subject?: Subject): GateDecision {
    return decideObservedGate(observed, this.options, at, subject);
  }

  /**
   * Returns the state of a gate for a bound object. The status of the gate decides, so that nothing acts on a state
   * that is not recorded. Only an override that is scoped to the object is evaluated in addition.
   */
  ask(key: ObjectKey, now: number, subject: Subject | undefined): Reading | undefined {
    const gate = this.#caches.gates.get(key);
    if (gate === undefined) return undefined;
    const believed = believedState(gate, now);
    if (subject === undefined || !this.hasScopedOverrides(key)) return believed;
    if (gate.status?.state === undefined || believed.state !== gate.status.state) return believed;
    const observed = this.observe(key);
    if (observed === undefined || observed === 'pending') return believed;
    const { state, message } = this.decide(observed, now, subject);
    return { state, message };
  }

  /** Returns the revisions that overrides of a gate let a target take while the gate is closed for it. */
  approved(key: ObjectKey, now: number, target: Pick<Subject, 'kind' | 'name'>): string[] {
    const gate = this.#caches.gates.get(key);
    if (gate === undefined || !this.hasScopedOverrides(key)) return [];
    const overrides = this.overridesOf(gate).filter(counts);
    return approvedRevisions(now, gate, overrides, target, this.options);
  }

  /** Returns whether a live override of a gate applies to some targets or revisions only. */
  hasScopedOverrides(key: ObjectKey): boolean {
    return liveOverridesOf(this.#caches, key).some(isScoped);
  }

  /** Returns the live overrides of a gate that apply to some targets or revisions only. */
  scopedOverrides(key: ObjectKey): GateOverride[] {
    return liveOverridesOf(this.#caches, key).filter(isScoped);
  }
}

function isScoped({ spec }: GateOverride): boolean {
  return spec.targets !== undefined || spec.revisions !== undefined;
}

function isLeaving({ metadata }: GateKeeper): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * Returns whether an override counts for the state of its gate. An override with `once` is in force only when the
 * revisions of its targets are recorded: otherwise nothing could be counted.
 */
function counts({ metadata, spec, status }: GateOverride): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return !spec.once || status?.waiting !== undefined || status?.released !== undefined;
}
