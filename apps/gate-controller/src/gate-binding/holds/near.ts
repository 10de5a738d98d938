import { keyString, type GateBinding, type ObjectKey } from '@interlock/api';
import { sourcesOf, type FluxObject, type FluxObjects } from '@interlock/gating';
import { keyOfClaim } from './guards.js';
import { holdOf } from './hold.js';

/** Access to the bindings and the objects to which they apply. */
export interface BoundObjects {
  bindings: {
    /** Returns the bindings that may name an object in their targets; some may occur twice. */
    naming(object: FluxObject): readonly GateBinding[];
    get(key: ObjectKey): GateBinding | undefined;
  };
  objects: FluxObjects;
}

/**
 * Returns the bindings that may apply to some objects, or hold them, each once. Others are not considered: a namespace may have
 * hundreds, and this is called for each change of an object.
 */
export function bindingsNear(
  some: readonly FluxObject[],
  { bindings, objects }: BoundObjects,
): GateBinding[] {
  const near = some.flatMap((object) => [
    ...[object, ...sourcesOf(object, objects)].flatMap((one) => bindings.naming(one)),
    ...(holdOf(object)?.by ?? []).flatMap((name) => bindings.get(keyOfClaim(name, object)) ?? []),
  ]);
  return [...new Map(near.map((binding) => [keyString(binding.metadata), binding])).values()];
}
