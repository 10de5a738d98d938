import { createHash } from 'node:crypto';
import {
  Gate,
  timestampOf,
  typeMeta,
  type Condition,
  type GateKeeper,
  type GateKeeperStatus,
} from '@interlock/api';
import { isProblem, prefixOf } from '@interlock/base';
import { decideGate, type DecideOptions, type GateDecision, type KeeperInput } from '@interlock/gating';
import { markReady, markReconciling, markStalled } from '@interlock/kube';

interface ObservedKeeper {
  input: KeeperInput;
  /** Whether the gate that it names exists. */
  hasGate: boolean;
  /** Warnings about parts of the spec that may not have the intended effect. */
  warnings: readonly string[];
  /** The text of its calendar, if it can be read. */
  calendarText?: string | undefined;
  /** When its calendar was read by URL; milliseconds since the epoch. */
  calendarReadAt?: number | undefined;
}

const maxText = 1024;
const maxWarnings = 16;

interface KeeperDecision {
  status: GateKeeperStatus;
  /** When its state changes next; milliseconds since the epoch. */
  nextAt?: number | undefined;
}

/** Returns the status of a keeper, and when its state changes next. Pure; `now` in milliseconds since the epoch. */
export function decideKeeper(observed: ObservedKeeper, now: number, options: DecideOptions): KeeperDecision {
  const { input, warnings } = observed;
  const { keeper } = input;
  const decision = decideGate(now, gateOf(keeper), [input], [], undefined, options);
  const [said] = decision.contributions;
  const next = said?.next;
  const calendar = calendarOf(observed, now);
  const status: GateKeeperStatus = {
    observedGeneration: keeper.metadata.generation,
    conditions: keeperConditions(observed, decision, now),
    ...(said && { effect: said.effect, message: prefixOf(said.message, maxText) }),
    ...(next !== undefined && { next: timestampOf(next) }),
    ...(warnings.length > 0 && {
      warnings: warnings.slice(0, maxWarnings).map((text) => prefixOf(text, 512)),
    }),
    ...(calendar && { calendar }),
  };
  return { status, nextAt: next };
}

function keeperConditions(
  { input: { keeper }, hasGate }: ObservedKeeper,
  { problems, contributions }: GateDecision,
  now: number,
): Condition[] {
  const known = keeper.status?.conditions;
  const { generation } = keeper.metadata;
  if (problems.length > 0) {
    const message = problems.map(({ field, message: what }) => `${field}: ${what}`).join('; ');
    return markStalled(known, { reason: 'Invalid', message }, generation, now);
  }
  if (!hasGate) {
    const message = `spec.gate: Gate ${keeper.spec.gate} does not exist in the namespace; create it`;
    return markReconciling(known, { reason: 'GateNotFound', message }, generation, now);
  }
  const [said] = contributions;
  if (said?.effect === 'Unknown') {
    return markReconciling(known, { reason: 'NotEvaluable', message: said.message }, generation, now);
  }
  return markReady(known, { reason: 'Evaluated', message: said?.message ?? '' }, generation, now);
}

/** Returns a gate for the evaluation of a keeper by itself, whatever the spec of its own gate is. */
function gateOf({ metadata, spec }: GateKeeper): Gate {
  const { namespace } = metadata;
  return {
    ...typeMeta(Gate),
    metadata: { name: spec.gate, ...(namespace !== undefined && { namespace }) },
    spec: { closed: false, maxOverride: '1h', failurePolicy: 'Closed' },
  };
}

/* The time of reading changes with the text only, so that the status is not written at each read of an unchanged
   calendar. */
function calendarOf(
  { input: { keeper, calendar }, calendarText, calendarReadAt }: ObservedKeeper,
  now: number,
): GateKeeperStatus['calendar'] {
  if (keeper.spec.type !== 'calendar') return undefined;
  const before = keeper.status?.calendar;
  if (calendarText === undefined || calendar === undefined || isProblem(calendar)) return before;
  const digest = createHash('sha256').update(calendarText).digest('hex');
  if (before?.digest === digest) return before;
  const { eventCount: events } = calendar;
  return { readAt: timestampOf(calendarReadAt ?? now), events, digest };
}
