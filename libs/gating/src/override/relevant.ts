import { timestampOf, type Gate, type GateOverride } from '@interlock/api';

/** What the clocks of two control plane nodes may differ, a request may take, and timestamps are cut by; ms. */
const toleranceMs = 120_000;

/** Returns whether an override is over for good, and on record as such. */
export function hasEnded({ status }: GateOverride): boolean {
  return status?.endedAt !== undefined && status.phase !== 'Pending';
}

/**
 * Returns the overrides that the state of a gate still depends on. Those that ended before the recorded state was written
 * are left out, however many are kept for the audit; of the others, a Close may still end an Open that is live.
 *
 * @param stateTtlMs for how long a recorded state may be believed.
 */
export function relevantOverrides(
  gate: Gate,
  overrides: readonly GateOverride[],
  stateTtlMs: number,
): GateOverride[] {
  const recordedAt = recordedAtOf(gate, stateTtlMs);
  if (recordedAt === undefined) return [...overrides];
  const oldest = overrides.reduce(
    (first, override) => (hasEnded(override) ? first : Math.min(first, createdAt(override))),
    recordedAt,
  );
  const from = timestampOf(oldest - toleranceMs);
  return overrides.filter((override) => !hasEnded(override) || (override.status?.endedAt ?? '') >= from);
}

/** The time at which the status was written, or earlier; undefined: never. */
function recordedAtOf({ status }: Gate, stateTtlMs: number): number | undefined {
  if (status?.state === undefined) return undefined;
  const known = [Date.parse(status.since ?? ''), Date.parse(status.validUntil ?? '') - stateTtlMs];
  const times = known.filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

function createdAt({ metadata }: GateOverride): number {
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? 0 : created;
}
