import { annotations, isTyped, type Gate, type GateOverride } from '@interlock/api';
import { matchesPattern } from '@interlock/cel';
import { formatDuration, parseDuration } from '@interlock/service';
import { missingApprovals } from './approvals.js';
import { Closings } from './closings.js';
import type { ObjectProblem } from '../object-problem.js';
import type { DecideOptions, OverridePhase, OverrideState, Stamps } from '../types.js';

/** Allows for the clock difference between two control plane nodes and for the duration of a request. */
const stampToleranceMs = 60_000;

/**
 * Returns the state of the overrides of one gate at `now`, the oldest request first: which are in force, which have
 * ended, and why.
 *
 * @param overrides the overrides whose gateRef is the gate; others are ignored
 */
export function judgeOverrides(
  now: number,
  gate: Gate,
  overrides: readonly GateOverride[],
  options: Pick<DecideOptions, 'stamps'> = {},
): OverrideState[] {
  if (overrides.length === 0) return [];
  const { name, namespace } = gate.metadata;
  const own = overrides.filter(
    (override) => override.spec.gateRef.name === name && override.metadata.namespace === namespace,
  );
  const states = own.map((override) => judgeAlone(now, gate, override, options.stamps ?? 'optional'));
  states.sort(byRequest);
  const closing = new Closings(
    states.filter(({ override, phase }) => override.spec.effect === 'Close' && phase !== 'Rejected'),
  );
  return states.map((state) => endedByClose(now, state, closing));
}

/** Orders older requests first. Of two simultaneous overrides, a Close counts as the newer one. */
function byRequest(a: OverrideState, b: OverrideState): number {
  return (
    a.requestedAt - b.requestedAt ||
    Number(a.override.spec.effect === 'Close') - Number(b.override.spec.effect === 'Close') ||
    (a.override.metadata.name < b.override.metadata.name ? -1 : 1)
  );
}

function judgeAlone(now: number, gate: Gate, override: GateOverride, stamps: Stamps): OverrideState {
  const { actor, requestedAt } = stampsOf(override, stamps, now);
  const expiresAt = readableExpiry(override, requestedAt);
  const known = { override, actor, requestedAt, expiresAt };
  const { phase: recorded, endedAt, message: recordedMessage = '' } = override.status ?? {};
  if (recorded !== undefined && isOver(recorded)) {
    const end = Date.parse(endedAt ?? '');
    const endsAt = Number.isNaN(end) ? requestedAt : end;
    return { ...known, phase: recorded, endsAt, message: recordedMessage, problems: [] };
  }
  const problems = problemsWithGate(gate, override, requestedAt, expiresAt, stamps);
  const base = { ...known, problems };
  if (problems.length > 0)
    return { ...base, phase: 'Rejected', endsAt: requestedAt, message: problems[0]?.message ?? '' };
  if (recorded === 'Rejected')
    return { ...base, phase: 'Rejected', endsAt: requestedAt, message: recordedMessage };
  const missing = wasAccepted(override) ? 0 : missingApprovals(gate, override, stamps);
  if (missing > 0 && now < (expiresAt ?? Infinity)) {
    const message = `it waits for ${missing} more approval${missing === 1 ? '' : 's'} of other users`;
    return { ...base, phase: 'Pending', endsAt: requestedAt, message };
  }
  if (missing > 0)
    return {
      ...base,
      phase: 'Expired',
      endsAt: requestedAt,
      message: 'it expired before it was approved',
    };
  if (requestedAt > now)
    return {
      ...base,
      phase: 'Pending',
      endsAt: expiresAt ?? Infinity,
      message: 'its time has not begun yet',
    };
  if (expiresAt === undefined) return { ...base, phase: 'Active', message: '' };
  const phase: OverridePhase = now >= expiresAt ? 'Expired' : 'Active';
  const message = phase === 'Expired' ? `expired at ${new Date(expiresAt).toISOString()}` : '';
  return { ...base, phase, endsAt: expiresAt, message };
}

/** Returns whether an override with a recorded phase was in force, or could have been, and has ended permanently. */
function isOver(phase: OverridePhase): boolean {
  return phase === 'Expired' || phase === 'Ended' || phase === 'Spent';
}

function stampsOf(override: GateOverride, stamps: Stamps, now: number) {
  const created = Date.parse(override.metadata.creationTimestamp ?? '');
  const fallback = Number.isNaN(created) ? now : created;
  const actor = override.metadata.annotations?.[annotations.actor];
  const stamp = Date.parse(override.metadata.annotations?.[annotations.requestedAt] ?? '');
  if (stamps === 'ignored') return { actor: 'unverified', requestedAt: fallback };
  const credible = stamps === 'required' || Math.abs(stamp - fallback) <= stampToleranceMs;
  return {
    actor: actor ?? 'unverified',
    requestedAt: Number.isNaN(stamp) || !credible ? fallback : stamp,
  };
}

/** Returns when an override expires; NaN if the time cannot be parsed, in which case the override is rejected. */
function readableExpiry(override: GateOverride, requestedAt: number): number | undefined {
  try {
    return expiryOf(override, requestedAt);
  } catch (error) {
    if (isTyped(error)) return NaN;
    throw error;
  }
}

/**
 * Returns when an override expires, in ms since the epoch; undefined if it never expires.
 *
 * @throws TypedError `Invalid` for a duration that cannot be parsed
 */
function expiryOf({ spec }: GateOverride, requestedAt: number): number | undefined {
  if (spec.expiresAt !== undefined) return Date.parse(spec.expiresAt);
  if (spec.duration === undefined) return undefined;
  return requestedAt + Math.round(parseDuration(spec.duration));
}

function problemsWithGate(
  gate: Gate,
  override: GateOverride,
  requestedAt: number,
  expiresAt: number | undefined,
  stamps: Stamps,
): ObjectProblem[] {
  const problems: ObjectProblem[] = [];
  const report = (field: string, value: string, message: string) =>
    problems.push({ object: `GateOverride/${override.metadata.name}`, field, value, message });
  const { spec } = override;
  if (spec.reason.trim() === '')
    report('spec.reason', spec.reason, 'the reason is missing; state one for the audit trail');
  if (stamps === 'required' && override.metadata.annotations?.[annotations.actor] === undefined)
    report(
      `metadata.annotations[${annotations.actor}]`,
      '',
      'its author is not authenticated, because the override did not pass through the admission webhook; create the override again',
    );
  if (!wasAccepted(override)) problems.push(...ticketProblems(gate, override));
  const limit = limitOf(gate);
  const field = spec.expiresAt === undefined ? 'spec.duration' : 'spec.expiresAt';
  const value = spec.expiresAt ?? spec.duration ?? '';
  if (Number.isNaN(expiresAt)) {
    report(
      field,
      value,
      `${JSON.stringify(value)} cannot be parsed; write for example 30m or 2026-12-01T08:00:00Z`,
    );
    return problems;
  }
  /* An override that was in force stays in force when the limit is lowered. */
  if (spec.effect !== 'Open' || limit === undefined || wasAccepted(override)) return problems;
  if (expiresAt === undefined) report(field, value, 'it has no end; set duration or expiresAt');
  else if (expiresAt <= requestedAt)
    report(
      field,
      value,
      `the override would never be in force with ${value}; set a longer duration or a later expiresAt`,
    );
  else if (expiresAt - requestedAt > limit)
    report(
      field,
      value,
      `${value} is longer than the ${formatDuration(limit)} that the gate ${gate.metadata.name} allows (maxOverride); request less time, or create another override after this override has expired`,
    );
  return problems;
}

function ticketProblems(gate: Gate, { metadata, spec }: GateOverride): ObjectProblem[] {
  const { ticketPattern: pattern } = gate.spec;
  if (pattern === undefined || spec.effect !== 'Open' || hasTicket(spec.ticket, pattern)) return [];
  const message = `the gate ${gate.metadata.name} requires a ticket that matches ${pattern} (ticketPattern)`;
  return [
    { object: `GateOverride/${metadata.name}`, field: 'spec.ticket', value: spec.ticket ?? '', message },
  ];
}

/** Returns whether an override has a matching ticket. A pattern that cannot be parsed matches no ticket. */
function hasTicket(ticket: string | undefined, pattern: string): boolean {
  try {
    return ticket !== undefined && matchesPattern(ticket, pattern);
  } catch {
    return false;
  }
}

function wasAccepted({ status }: GateOverride): boolean {
  return status?.phase !== undefined && status.phase !== 'Pending' && status.phase !== 'Rejected';
}

function limitOf(gate: Gate): number | undefined {
  try {
    return parseDuration(gate.spec.maxOverride);
  } catch (error) {
    if (isTyped(error)) return undefined;
    throw error;
  }
}

/** Ends an Open by the first later Close whose scope overlaps. */
function endedByClose(now: number, state: OverrideState, closing: Closings): OverrideState {
  const { spec, status } = state.override;
  const isFinal = state.phase === 'Rejected' || (status?.phase !== undefined && isOver(status.phase));
  if (spec.effect !== 'Open' || isFinal) return state;
  const end = closing.firstFor(state);
  if (end === undefined) return state;
  const { name } = end.override.metadata;
  const ended = { ...state, endsAt: end.requestedAt };
  if (end.requestedAt > now) return ended;
  return { ...ended, phase: 'Ended', message: `ended by GateOverride/${name}: ${end.override.spec.reason}` };
}
