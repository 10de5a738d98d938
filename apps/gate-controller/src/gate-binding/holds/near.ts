import type { GateBinding } from '@interlock/api';
import { bindingNamespaces, type FluxObject, type FluxObjects } from '@interlock/gating';
import { holdOf } from './hold.js';

/** Access to the bindings and the objects to which they apply. */
export interface BoundObjects {
  bindingsIn: (namespace: string | undefined) => readonly GateBinding[];
  objects: FluxObjects;
}

/**
 * Returns the bindings that may apply to some objects, or hold them, each once. Those of all other namespaces are not considered: a
 * cluster may have thousands, and this is called for each change of an object.
 */
export function bindingsNear(
  some: readonly FluxObject[],
  { bindingsIn, objects }: BoundObjects,
): GateBinding[] {
  const namespaces = some.flatMap((object) => [
    ...bindingNamespaces(object, objects),
    ...(holdOf(object)?.by ?? []).map((name) => namespaceOfClaim(name, object)),
  ]);
  return [...new Set(namespaces)].flatMap((namespace) => bindingsIn(namespace));
}

/** Returns the namespace of the binding that `claimName` names. */
function namespaceOfClaim(name: string, { metadata }: FluxObject): string | undefined {
  const slash = name.indexOf('/');
  return slash < 0 ? metadata.namespace : name.slice(0, slash);
}
