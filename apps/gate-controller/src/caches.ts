import {
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  keyString,
  type GateReference,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { hasEnded } from '@interlock/gating';
import type { Cache, Manager } from '@interlock/kube';

const gateIndex = 'gate';
const liveIndex = 'gate of live';

/** The shared caches of the kinds of gating. */
export interface GateCaches {
  gates: Cache<Gate>;
  keepers: Cache<GateKeeper>;
  overrides: Cache<GateOverride>;
  bindings: Cache<GateBinding>;
}

/** Creates the caches with their indexes. It must be called before the manager runs. */
export function createGateCaches(manager: Manager): GateCaches {
  return indexGateCaches({
    gates: manager.cache(Gate),
    keepers: manager.cache(GateKeeper),
    overrides: manager.cache(GateOverride),
    bindings: manager.cache(GateBinding),
  });
}

/** Adds the indexes to caches that do not run yet, and returns the caches. */
export function indexGateCaches(caches: GateCaches): GateCaches {
  caches.keepers.addIndex(gateIndex, (keeper) => [keyString(gateOfKeeper(keeper))]);
  caches.overrides.addIndex(liveIndex, (override) =>
    hasEnded(override) ? [] : [keyString(gateOfOverride(override))],
  );
  caches.bindings.addIndex(gateIndex, (binding) => gatesOfBinding(binding).map(keyString));
  return caches;
}

/** Returns the keepers of a gate. */
export function keepersOf({ keepers }: GateCaches, gate: ObjectKey): GateKeeper[] {
  return keepers.byIndex(gateIndex, keyString(gate));
}

/** Returns the overrides of a gate whose end is not recorded. */
export function liveOverridesOf({ overrides }: GateCaches, gate: ObjectKey): GateOverride[] {
  return overrides.byIndex(liveIndex, keyString(gate));
}

/** Returns the bindings that refer to a gate, whether allowed or not. */
export function bindingsOf({ bindings }: GateCaches, gate: ObjectKey): GateBinding[] {
  return bindings.byIndex(gateIndex, keyString(gate));
}

/** Returns the existing gates of a binding, and their keepers. */
export function decidersOf(caches: GateCaches, binding: GateBinding): KubeObject[] {
  return gatesOfBinding(binding).flatMap((key) =>
    [caches.gates.get(key) ?? [], keepersOf(caches, key)].flat(),
  );
}

/** Returns the key of the gate that a keeper belongs to. */
export function gateOfKeeper({ metadata, spec }: GateKeeper): ObjectKey {
  return inNamespace(metadata.namespace, spec.gate);
}

/** Returns the key of the gate that an override belongs to. */
export function gateOfOverride({ metadata, spec }: GateOverride): ObjectKey {
  return inNamespace(metadata.namespace, spec.gateRef.name);
}

/** Returns the keys of the gates that a binding refers to, in the order of its refs. */
export function gatesOfBinding(binding: GateBinding): ObjectKey[] {
  return binding.spec.refs.map((ref) => gateOfRef(binding, ref));
}

/** Returns the key of the gate that a ref of a binding names. */
export function gateOfRef({ metadata }: GateBinding, { name, namespace }: GateReference): ObjectKey {
  return inNamespace(namespace ?? metadata.namespace, name);
}

function inNamespace(namespace: string | undefined, name: string): ObjectKey {
  return { name, namespace };
}
