import type { Gate, GateState } from '@interlock/api';
import { lastChange } from './timeline/search.js';
import type { Timeline } from './timeline/timeline.js';

/** The state of a gate over time, by the objects of now. */
interface StateOverTime {
  closed: Timeline;
  /** Instants at which overrides begin and end. */
  edges: ReadonlySet<number>;
}

interface SinceOptions {
  stateTtlMs: number;
  /** When the state on record was decided last, where that is known; ms since the epoch. */
  recordedAt: number | undefined;
}

/**
 * Says since when a gate has its state: by the times that its keepers and overrides tell, where these explain what the
 * status says; else by the status, and `now` for a change that nothing tells of, such as the deletion of a keeper.
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
  const told = lastChange(closed, now, oldest).at;
  if (status?.state === undefined) return Number.isNaN(created) && told === oldest ? now : told;
  const before = Math.min(now, Date.parse(status.since ?? '') || oldest);
  /* The status was right when it was written, which is at most its life before its end. */
  const seen = Math.max(before, (Date.parse(status.validUntil ?? '') || 0) - stateTtlMs);
  if (status.state !== state) return told >= seen ? told : now;
  /* There and back again, while nobody looked. */
  const nextAt = Date.parse(status.next?.at ?? '');
  const known = recordedAt <= now ? Math.max(seen, recordedAt) : seen;
  return told > known && (nextAt <= told || edges.has(told)) ? told : before;
}

const horizonBackMs = 3653 * 86_400_000;
