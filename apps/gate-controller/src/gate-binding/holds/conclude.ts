import { annotations } from '@interlock/api';
import { requestsGates, type FluxObject } from '@interlock/gating';
import { Failure, type Conclusion, type EventInput } from '@interlock/kube';
import type { BindingVerdict } from '../actuator.js';
import type { HoldOutcome } from './act.js';
import type { HoldDecision } from './decide.js';
import type { ObservedHold } from './observed.js';

/** The state of a gate that nobody renews closes, without an event for the sources that name it; milliseconds. */
const resyncMs = 60_000;

const noSource = `annotation ${annotations.gates} is for sources; hold what applies from them by a GateBinding with scope All`;

/** Returns the events about an object, which has no status of ours. Pure. */
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

/** Returns the event for an object that is held again after somebody undid its hold. */
export function warningsOf(decision: HoldDecision, outcome: HoldOutcome | Failure): EventInput[] {
  if (decision.type !== 'hold' || decision.warning === undefined || outcome === 'waiting') return [];
  return [{ type: 'Warning', action: 'Hold', ...decision.warning }];
}

/** What is wrong with the annotations of an object, or with a gate that they name. */
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
