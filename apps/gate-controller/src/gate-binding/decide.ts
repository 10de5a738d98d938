import type { Gate } from '@interlock/api';
import { decideFinalizer } from './finalizer.js';
import type { ObservedBinding } from './observed.js';

/** What is to be done about a binding. */
export interface BindingDecision {
  /**
   * - `release`: lets go of all that it holds, as it is being deleted.
   * - `wait`: nothing yet, as the next state of a gate is being decided.
   * - `actuate`: holds and releases by the state of its gates.
   */
  type: 'release' | 'wait' | 'actuate';
  finalizer: ReturnType<typeof decideFinalizer>;
}

/** How long it may take until a gate whose state ended is decided again; milliseconds. */
const evaluationMs = 2_000;

/** Decides what is to be done about a binding. Pure; `now` in milliseconds since the epoch. */
export function decideBinding({ binding, holding, gates }: ObservedBinding, now: number): BindingDecision {
  const finalizer = decideFinalizer(binding, holding);
  if (binding.metadata.deletionTimestamp !== undefined) return { type: 'release', finalizer };
  return { type: gates.some((gate) => isAboutToChange(gate, now)) ? 'wait' : 'actuate', finalizer };
}

/** A gate whose state ended just now is not unknown: its next state is being decided. */
function isAboutToChange({ status }: Gate, now: number): boolean {
  const overMs = now - Date.parse(status?.validUntil ?? '');
  return overMs >= 0 && overMs < evaluationMs;
}
