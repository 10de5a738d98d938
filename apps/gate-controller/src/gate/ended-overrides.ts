import { keyOf, keyString, type Gate, type GateOverride, type ObjectKey } from '@interlock/api';
import { hasEnded, relevantOverrides } from '@interlock/gating';
import type { CacheEvent } from '@interlock/kube';
import { gateOfOverride, liveOverridesOf, type GateCaches } from '../caches.js';

/** Within this time of its end, a Close still ends an Open that was requested before it and is created after it; ms. */
const lateMs = 120_000;

interface EndedOverride {
  override: GateOverride;
  /** Uid of the gate whose recorded state includes the end; undefined: none does. */
  recordedIn?: string | undefined;
}

/** What is known of the overrides of one gate. */
interface GateView {
  ended: Map<string, EndedOverride>;
  /** When the recorded state was decided last, in ms since the epoch. */
  recorded?: { uid: string | undefined; at: number };
  /** The last answer, until something changes. */
  relevant?: { gate: Gate; overrides: readonly GateOverride[] } | undefined;
}

/**
 * Knows which ended overrides gates still have to be decided with. The others may be many, as they are kept for the audit,
 * and cost nothing: an end is dropped once the state of its gate is on record with the end in view.
 */
export class EndedOverrides {
  readonly #caches: GateCaches;
  readonly #stateTtlMs: number;
  readonly #views = new Map<string, GateView>();

  constructor(caches: GateCaches, stateTtlMs: number) {
    this.#caches = caches;
    this.#stateTtlMs = stateTtlMs;
    caches.overrides.subscribe((event) => this.#observe(event));
    caches.gates.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#forget(keyOf(object));
    });
  }

  /** Returns the overrides that the state of a gate depends on: those that are live, and ends that still count. */
  relevantTo(gate: Gate): readonly GateOverride[] {
    const view = this.#viewOf(keyOf(gate));
    if (view.relevant?.gate === gate) return view.relevant.overrides;
    const live = liveOverridesOf(this.#caches, keyOf(gate));
    const all = [...live, ...[...view.ended.values()].map(({ override }) => override)];
    const { uid } = gate.metadata;
    const overrides = relevantOverrides(gate, all, {
      stateTtlMs: this.#stateTtlMs,
      isRecorded: ({ metadata }) => isRecordedIn(view.ended.get(metadata.name), uid),
    });
    view.relevant = { gate, overrides };
    return overrides;
  }

  /** Returns when the recorded state of a gate was decided last, in ms since the epoch; undefined: not by this process. */
  recordedAt(gate: Gate): number | undefined {
    const recorded = this.#views.get(keyString(keyOf(gate)))?.recorded;
    return recorded?.uid === gate.metadata.uid ? recorded?.at : undefined;
  }

  /** Returns the ends that a decision over a gate made now has in view. */
  inView(gate: ObjectKey): GateOverride[] {
    return [...(this.#views.get(keyString(gate))?.ended.values() ?? [])].map(({ override }) => override);
  }

  /**
   * Notes that the state of a gate is on record.
   *
   * @param gate as it is on record.
   * @param inView the ends that were in view when it was decided.
   * @param at when it was decided; ms since the epoch.
   */
  recorded(gate: Gate, inView: readonly GateOverride[], at: number): void {
    const view = this.#viewOf(keyOf(gate));
    const { uid } = gate.metadata;
    view.recorded = { uid, at };
    for (const override of inView) {
      const known = view.ended.get(override.metadata.name);
      if (known?.override === override) known.recordedIn = uid;
    }
    if (view.ended.size === 0) return;
    view.relevant = undefined;
    const relevant = new Set(this.relevantTo(gate));
    for (const [name, known] of view.ended) {
      const { override } = known;
      if (!isRecordedIn(known, uid) || relevant.has(override) || isRecentClose(override, at)) continue;
      view.ended.delete(name);
    }
  }

  #observe(event: CacheEvent<GateOverride>): void {
    const { object } = event;
    const { name } = object.metadata;
    const gate = gateOfOverride(object);
    const view = this.#views.get(keyString(gate));
    if (view !== undefined) view.relevant = undefined;
    if (event.type === 'deleted') {
      view?.ended.delete(name);
      if (this.#caches.gates.get(gate) === undefined) this.#forget(gate);
      return;
    }
    if (!hasEnded(object) || object.status?.phase === 'Rejected') return;
    const known = view?.ended.get(name);
    /* What was dropped stays so when something else about it changes. */
    if (event.type === 'updated' && hasEnded(event.old) && known === undefined) return;
    this.#viewOf(gate).ended.set(name, { override: object, recordedIn: known?.recordedIn });
  }

  /** Forgets a gate that is gone, but for the ends that count for one of the same name. */
  #forget(gate: ObjectKey): void {
    const view = this.#views.get(keyString(gate));
    if (view === undefined) return;
    delete view.recorded;
    view.relevant = undefined;
    if (view.ended.size === 0) this.#views.delete(keyString(gate));
  }

  #viewOf(gate: ObjectKey): GateView {
    const key = keyString(gate);
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const view: GateView = { ended: new Map() };
    this.#views.set(key, view);
    return view;
  }
}

function isRecordedIn(ended: EndedOverride | undefined, uid: string | undefined): boolean {
  return ended?.recordedIn !== undefined && ended.recordedIn === uid;
}

function isRecentClose({ spec, status }: GateOverride, now: number): boolean {
  return spec.effect === 'Close' && Date.parse(status?.endedAt ?? '') > now - lateMs;
}
