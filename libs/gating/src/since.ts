import type { Gate, GateState } from '@interlock/api';
import { lastChange } from './timeline/search.js';
import type { Timeline } from './timeline/timeline.js';

/** The state of a gate over time, computed from the current objects. */
interface StateOverTime {
  closed: Timeline;
  /** Instants at which overrides begin and end. */
  edges: ReadonlySet<number>;
}

interface SinceOptions {
  stateTtlMs: number;
  /** When the recorded state was last decided, if that is known; ms since the epoch. */
  recordedAt: number | undefined;
}

/**
 * Returns since when a gate has its state.
 *
 * The times of its keepers and overrides determine it if they explain the recorded status. Otherwise the recorded
 * status determines it, or `now` after a change that leaves no trace, such as the deletion of a keeper.
 */
export function sinceOf(
  now: number,
  gate: Gate,
  state: GateState,
  { closed, edges }: StateOverTime,
  { stateTtlMs, recordedAt = 0 }: SinceOptions,
): number {
  const { status } = gate;
  const created = Date.parse(gate.metadata.creationTimestamp ?? '');
  const oldest = Number.isNaN(created) ? now - horizonBackMs : Math.min(now, created);
  const changedAt = lastChange(closed, now, oldest).at;
  if (status?.state === undefined) return Number.isNaN(created) && changedAt === oldest ? now : changedAt;
  const before = Math.min(now, Date.parse(status.since ?? '') || oldest);
  /* The status was correct when it was written, which is at most its time to live before its end. */
  const seen = Math.max(before, (Date.parse(status.validUntil ?? '') || 0) - stateTtlMs);
  if (status.state !== state) return changedAt >= seen ? changedAt : now;
  /* The state changed twice between two evaluations. */
  const nextAt = Date.parse(status.next?.at ?? '');
  const known = recordedAt <= now ? Math.max(seen, recordedAt) : seen;
  return changedAt > known && (nextAt <= changedAt || edges.has(changedAt)) ? changedAt : before;
}

const horizonBackMs = 3653 * 86_400_000;
