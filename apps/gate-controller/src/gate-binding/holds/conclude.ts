import { annotations } from '@interlock/api';
import { requestsGates, type FluxObject } from '@interlock/gating';
import { Failure, type Conclusion, type EventInput } from '@interlock/kube';
import type { BindingVerdict } from '../actuator.js';
import type { HoldOutcome } from './act.js';
import type { HoldDecision } from './decide.js';
import type { ObservedHold } from './observed.js';

/**
 * How often a source that names gates is reconciled without an event, because a gate whose state is not renewed closes
 * without one; in milliseconds.
 */
const resyncMs = 60_000;

const noSource = `annotation ${annotations.gates} is supported on sources only; hold the objects that apply from a source by a GateBinding with scope All`;

/** Returns the events about an object; this controller does not own its status. Pure. */
export function concludeHold(
  observed: ObservedHold,
  decision: HoldDecision,
  outcome: HoldOutcome | Failure,
): Conclusion<FluxObject> {
  const warnings = warningsOf(decision, outcome);
  if (outcome instanceof Failure) return { happened: warnings };
  return {
    happened: [...warnings, ...problemOf(observed)],
    requeueAfterMs: observed.own === undefined ? undefined : resyncMs,
  };
}

/** Returns the event for an object that is held again after its hold was undone. */
export function warningsOf(decision: HoldDecision, outcome: HoldOutcome | Failure): EventInput[] {
  if (decision.type !== 'hold' || decision.warning === undefined || outcome === 'waiting') return [];
  return [{ type: 'Warning', action: 'Hold', ...decision.warning }];
}

/** Returns the problems of the annotations of an object, or of a gate that they name. */
function problemOf({ object, own }: ObservedHold): EventInput[] {
  if (!requestsGates(object)) return [];
  const note = own === undefined ? noSource : (own.problem ?? unknownIn(own.verdict));
  return note === '' ? [] : [{ type: 'Warning', reason: 'InvalidGates', action: 'Hold', note }];
}

function unknownIn({ gates }: BindingVerdict): string {
  return gates
    .filter(({ state }) => state === 'Unknown')
    .map(({ message }) => message)
    .join('; ');
}
