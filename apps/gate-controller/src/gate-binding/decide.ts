import type { Gate } from '@interlock/api';
import { decideFinalizer } from './finalizer.js';
import type { ObservedBinding } from './observed.js';

/** The decision about a binding. */
export interface BindingDecision {
  /**
   * - `release`: releases everything that the binding holds, because it is being deleted.
   * - `wait`: does nothing yet, because the next state of a gate is being decided.
   * - `actuate`: holds and releases according to the state of the binding's gates.
   */
  type: 'release' | 'wait' | 'actuate';
  finalizer: ReturnType<typeof decideFinalizer>;
}

/** How long the evaluation of a gate whose state has expired may take; in milliseconds. */
const evaluationMs = 2_000;

/** Decides about a binding. Pure; `now` in milliseconds since the epoch. */
export function decideBinding({ binding, holding, gates }: ObservedBinding, now: number): BindingDecision {
  const finalizer = decideFinalizer(binding, holding);
  if (binding.metadata.deletionTimestamp !== undefined) return { type: 'release', finalizer };
  return { type: gates.some((gate) => isAboutToChange(gate, now)) ? 'wait' : 'actuate', finalizer };
}

/** Returns whether the next state of a gate is being decided: a gate whose state has just expired is not unknown. */
function isAboutToChange({ status }: Gate, now: number): boolean {
  const overMs = now - Date.parse(status?.validUntil ?? '');
  return overMs >= 0 && overMs < evaluationMs;
}
