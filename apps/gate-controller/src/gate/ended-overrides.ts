import { keyOf, keyString, type Gate, type GateOverride, type ObjectKey } from '@interlock/api';
import { hasEnded, relevantOverrides } from '@interlock/gating';
import type { CacheEvent } from '@interlock/kube';
import { gateOfOverride, liveOverridesOf, type GateCaches } from '../caches.js';

/** For this time after its end, a Close still ends an Open that was requested before the Close but is created after it; in ms. */
const lateMs = 120_000;

interface EndedOverride {
  override: GateOverride;
  /** UID of the gate whose recorded state includes the end; undefined if no recorded state does. */
  recordedIn?: string | undefined;
}

/** The known overrides of one gate. */
interface GateView {
  ended: Map<string, EndedOverride>;
  /** When the recorded state was last decided, in ms since the epoch. */
  recorded?: { uid: string | undefined; at: number };
  /** The last result, until something changes. */
  relevant?: { gate: Gate; overrides: readonly GateOverride[] } | undefined;
}

/**
 * Tracks which ended overrides still matter for the decisions of their gates. Many others may exist, because they are
 * kept for the audit; they cost nothing: an end is dropped once the recorded state of its gate includes it.
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

  /** Returns the overrides that the state of a gate depends on: live overrides, and ends that still matter. */
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

  /**
   * Returns when the recorded state of a gate was last decided, in ms since the epoch; undefined if this process did
   * not decide it.
   */
  recordedAt(gate: Gate): number | undefined {
    const recorded = this.#views.get(keyString(keyOf(gate)))?.recorded;
    return recorded?.uid === gate.metadata.uid ? recorded?.at : undefined;
  }

  /** Returns the ends that a decision made now includes. */
  inView(gate: ObjectKey): GateOverride[] {
    return [...(this.#views.get(keyString(gate))?.ended.values() ?? [])].map(({ override }) => override);
  }

  /**
   * Records that the state of a gate has been stored.
   *
   * @param gate as it is stored
   * @param inView the ends that the decision included
   * @param at when it was decided; ms since the epoch
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
    /* A dropped override stays dropped when another part of it changes. */
    if (event.type === 'updated' && hasEnded(event.old) && known === undefined) return;
    this.#viewOf(gate).ended.set(name, { override: object, recordedIn: known?.recordedIn });
  }

  /** Drops a gate that is gone, except for the ends that count for a gate of the same name. */
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
