import { GateBinding } from '@interlock/api';
import { generationChanged, type ControllerHandle } from '@interlock/kube';
import type { GateControllerOptions } from '../app.js';
import type { GateCaches } from '../caches.js';
import type { Actuator } from './actuator.js';

/** Adds the controller of GateBindings. */
export function addGateBindingController(
  { manager }: GateControllerOptions,
  { bindings }: GateCaches,
  actuators: readonly Actuator[],
): ControllerHandle {
  const handle = manager.addController({
    name: 'gate-binding',
    for: { kind: GateBinding, predicate: generationChanged },
    reconcile: (key) => {
      bindings.get(key);
      return Promise.resolve();
    },
  });
  for (const actuator of actuators) actuator.subscribe((binding) => handle.enqueue(binding));
  return handle;
}
