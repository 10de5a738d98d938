import type { GateBinding } from '@interlock/api';
import { gatesOfBinding, type GateCaches } from '../caches.js';
import { actuatorOf, type Actuator, type Judge } from './actuator.js';
import { nothingHeld } from './finalizer.js';
import type { ObservedBinding } from './observed.js';

export interface BindingReaders {
  caches: GateCaches;
  judge: Judge;
  actuators: readonly Actuator[];
}

/** Reads what is held for a binding, and the state of its gates. `now` in milliseconds since the epoch. */
export function observeBinding(
  { caches, judge, actuators }: BindingReaders,
  binding: GateBinding,
  now: number,
): ObservedBinding {
  return {
    binding,
    holding: actuatorOf(actuators, binding)?.holding(binding) ?? nothingHeld,
    gates: gatesOfBinding(binding).flatMap((key) => caches.gates.get(key) ?? []),
    verdict: judge.judge(binding, now),
  };
}
