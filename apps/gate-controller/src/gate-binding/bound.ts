import { keyString, type ObjectKey } from '@interlock/api';
import { bindingsOf, gateOfRef, type GateCaches } from '../caches.js';
import { actuatorOf, type Actuator, type BoundTarget } from './actuator.js';
import { refusalOf } from './judge.js';

/**
 * Returns the objects that are bound to a gate by bindings which may refer to it and do more than observe; each target
 * once.
 */
export function boundTargets(
  caches: GateCaches,
  actuators: readonly Actuator[],
  gate: ObjectKey,
): BoundTarget[] {
  const found = new Map<string, BoundTarget>();
  for (const binding of bindingsOf(caches, gate)) {
    if (binding.spec.mode === 'Observe') continue;
    const ref = binding.spec.refs.find((one) => keyString(gateOfRef(binding, one)) === keyString(gate));
    if (ref === undefined || refusalOf(binding, ref, caches.gates.get(gate)) !== undefined) continue;
    const actuator = actuatorOf(actuators, binding);
    for (const target of actuator?.targets(binding) ?? []) {
      found.set(`${target.kind} ${target.namespace}/${target.name}`, target);
    }
  }
  return [...found.values()];
}
