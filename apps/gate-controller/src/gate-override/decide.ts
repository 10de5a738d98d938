import { timestampOf, type Condition, type GateOverride, type GateOverrideStatus } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import {
  judgeOverrides,
  problemsOf,
  type DecideOptions,
  type ObjectProblem,
  type OverrideState,
} from '@interlock/gating';
import { markReady, markStalled } from '@interlock/kube';
import { trackedTargets } from './matters.js';
import type { ObservedOverride } from './observed.js';
import { track, type Tracking } from './track.js';

interface OverrideOptions {
  /** Milliseconds for which an override is kept after its end; 0 keeps it forever. */
  auditTtlMs: number;
  /** Options for the evaluation of gates. */
  engine: DecideOptions;
}

export type OverrideDecision =
  | { type: 'remove' }
  | {
      type: 'report';
      status: GateOverrideStatus;
      /** When it must be reconciled again; milliseconds since the epoch. */
      wakeAt?: number | undefined;
    };

interface Fate {
  phase: NonNullable<GateOverrideStatus['phase']>;
  message: string;
  /** Milliseconds since the epoch. */
  endedAt?: number;
}

const maxText = 1024;

/**
 * Returns the status of an override, or that its retention time has elapsed. Pure.
 *
 * @param now milliseconds since the epoch
 */
export function decideOverride(
  observed: ObservedOverride,
  { auditTtlMs, engine }: OverrideOptions,
  now: number,
): OverrideDecision {
  const { override, bound } = observed;
  const state = stateOf(observed, engine, now);
  const targets = bound === undefined ? [] : trackedTargets(override, bound, engine, now);
  const tracking = override.spec.once ? track(override, targets) : undefined;
  const fate = fateOf(override, state, tracking, now);
  const removeAt = fate.endedAt === undefined || auditTtlMs === 0 ? undefined : fate.endedAt + auditTtlMs;
  if (removeAt !== undefined && now >= removeAt) return { type: 'remove' };
  const live = fate.phase === 'Active';
  const status: GateOverrideStatus = {
    observedGeneration: override.metadata.generation,
    conditions: overrideConditions(override, fate, now),
    phase: fate.phase,
    ...(state && { actor: prefixOf(state.actor, 256) }),
    ...(state?.expiresAt !== undefined && { expiresAt: timestampOf(state.expiresAt) }),
    ...(fate.endedAt !== undefined && { endedAt: timestampOf(fate.endedAt) }),
    ...(fate.message !== '' && { message: prefixOf(fate.message, maxText) }),
    ...(tracking && live && { waiting: tracking.waiting }),
    ...(tracking && !live && override.status?.waiting && { waiting: override.status.waiting }),
    ...(tracking && tracking.released.length > 0 && { released: tracking.released }),
  };
  const wakeAt = live ? state?.endsAt : fate.phase === 'Pending' ? pendingUntil(state, now) : removeAt;
  return { type: 'report', status, wakeAt };
}

/** Returns the state of an override according to the engine; undefined if its gate does not exist. */
function stateOf(
  { override, gate, overrides }: ObservedOverride,
  engine: DecideOptions,
  now: number,
): OverrideState | undefined {
  if (gate === undefined) return undefined;
  const judged = judgeOverrides(now, gate, overrides, engine);
  return judged.find((state) => state.override.metadata.name === override.metadata.name);
}

/**
 * Returns when an override that is not in force yet must be reconciled again: it begins, or it expires before it was
 * approved.
 */
function pendingUntil(state: OverrideState | undefined, now: number): number | undefined {
  return state !== undefined && state.requestedAt > now ? state.requestedAt : state?.expiresAt;
}

function fateOf(
  override: GateOverride,
  state: OverrideState | undefined,
  tracking: Tracking | undefined,
  now: number,
): Fate {
  const before = override.status;
  const rejected = rejectionOf(override, state, problemsOf(override));
  if (rejected !== undefined) return { phase: 'Rejected', message: rejected, endedAt: endOf(before, now) };
  const { phase = 'Rejected', message = '', endsAt = now } = state ?? {};
  if (phase === 'Active') {
    if (tracking?.spent === true) return { phase: 'Spent', message: spentText(tracking), endedAt: now };
    return { phase, message };
  }
  if (phase === 'Pending') return { phase, message };
  return { phase, message, endedAt: endOf(before, Math.min(endsAt, now)) };
}

function spentText({ untracked }: Tracking): string {
  if (untracked === 0) return 'each target took one new revision';
  return `each target that the override tracks took one new revision; it did not track ${untracked} further targets: create another override for them, with spec.targets`;
}

/**
 * Returns why an override is rejected. A rejected override stays rejected: the gate did not consider it, and it must not
 * take effect unexpectedly later.
 */
function rejectionOf(
  { spec, status }: GateOverride,
  state: OverrideState | undefined,
  problems: readonly ObjectProblem[],
): string | undefined {
  if (status?.phase === 'Rejected') return status.message ?? '';
  if (state === undefined) {
    return `spec.gateRef.name: Gate ${spec.gateRef.name} does not exist in the namespace; name an existing one`;
  }
  const all = [...problems, ...state.problems];
  if (all.length === 0) return undefined;
  return [...new Set(all.map(({ field, message }) => `${field}: ${message}`))].join('; ');
}

function endOf(before: GateOverrideStatus | undefined, fallback: number): number {
  const known = Date.parse(before?.endedAt ?? '');
  return Number.isNaN(known) ? fallback : known;
}

function overrideConditions(
  { metadata, status }: GateOverride,
  { phase, message }: Fate,
  now: number,
): Condition[] {
  const known = status?.conditions;
  if (phase === 'Rejected') return markStalled(known, { reason: phase, message }, metadata.generation, now);
  const text = phase === 'Active' ? 'in force' : message;
  return markReady(known, { reason: phase, message: text }, metadata.generation, now);
}
