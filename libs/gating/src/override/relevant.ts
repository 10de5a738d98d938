import { timestampOf, type Gate, type GateOverride } from '@interlock/api';

/**
 * Allows for the clock difference between two control plane nodes, the duration of a request, and truncated timestamps;
 * in ms.
 */
const toleranceMs = 120_000;

interface RelevantOptions {
  /** How long a recorded state is valid, in ms. */
  stateTtlMs: number;
  /**
   * Whether the recorded state already includes the end of an override. By default, the recorded times determine it.
   */
  isRecorded?: (override: GateOverride) => boolean;
}

/** Returns whether an override has ended permanently and its end is recorded. */
export function hasEnded({ status }: GateOverride): boolean {
  return status?.endedAt !== undefined && status.phase !== 'Pending';
}

/**
 * Returns the overrides that the state of a gate still depends on, however many are kept for the audit: live overrides,
 * overrides whose end the recorded state does not include yet, and each Close that may end a live Open.
 */
export function relevantOverrides(
  gate: Gate,
  overrides: readonly GateOverride[],
  { stateTtlMs, isRecorded = () => false }: RelevantOptions,
): GateOverride[] {
  const recordedAt = recordedAtOf(gate, stateTtlMs);
  const from = timestampOf((recordedAt ?? createdAt(gate)) - toleranceMs);
  const live = new LiveOpens(overrides);
  const matters = (override: GateOverride): boolean => {
    if (!hasEnded(override)) return true;
    if (override.status?.phase === 'Rejected') return false;
    if (live.mayBeEndedBy(override)) return true;
    if ((override.status?.endedAt ?? '') < from) return false;
    return recordedAt === undefined || !isRecorded(override);
  };
  return overrides.filter(matters);
}

/** When the first live Open was created, by scope. A Close that was created before it cannot affect it. */
class LiveOpens {
  #first = Infinity;
  #firstForAll = Infinity;
  readonly #firstFor = new Map<string, number>();

  constructor(overrides: readonly GateOverride[]) {
    for (const override of overrides) {
      const { effect, targets } = override.spec;
      if (effect !== 'Open' || hasEnded(override)) continue;
      const made = createdAt(override);
      this.#first = Math.min(this.#first, made);
      if (targets === undefined) this.#firstForAll = Math.min(this.#firstForAll, made);
      for (const target of targets ?? []) {
        const key = targetKey(target);
        this.#firstFor.set(key, Math.min(this.#firstFor.get(key) ?? Infinity, made));
      }
    }
  }

  mayBeEndedBy(close: GateOverride): boolean {
    const { effect, targets } = close.spec;
    if (effect !== 'Close' || this.#first === Infinity) return false;
    const last = createdAt(close) + toleranceMs;
    if (targets === undefined || this.#firstForAll <= last) return this.#first <= last;
    return targets.some((target) => (this.#firstFor.get(targetKey(target)) ?? Infinity) <= last);
  }
}

function targetKey({ kind, name }: { kind: string; name: string }): string {
  return `${kind}/${name}`;
}

/** Returns a time that is at most the time at which the status was written; undefined if it never was. */
function recordedAtOf({ status }: Gate, stateTtlMs: number): number | undefined {
  if (status?.state === undefined) return undefined;
  const known = [Date.parse(status.since ?? ''), Date.parse(status.validUntil ?? '') - stateTtlMs];
  const times = known.filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

function createdAt({ metadata }: Gate | GateOverride): number {
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? 0 : created;
}
