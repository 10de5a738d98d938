import { Gate, ifFound, type GateOverride, type ObjectKey } from '@interlock/api';
import { hasEnded } from '@interlock/gating';
import { Later, type Client, type Observation } from '@interlock/kube';
import { gateOfOverride, type GateCaches } from '../caches.js';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { GateReader } from '../gate/reader.js';
import type { ObservedOverride, ObservedTargets } from './observed.js';

export interface OverrideReaders {
  client: Pick<Client, 'get'>;
  caches: GateCaches;
  reader: GateReader;
  /** Returns the objects that are bound to a gate. */
  targetsOf: (gate: ObjectKey) => readonly BoundTarget[];
}

/** Time until the cache should show an existing gate; in milliseconds. */
const unseenMs = 100;

/** Reads the gate of an override, and the other objects that determine its state. */
export async function observeOverride(
  readers: OverrideReaders,
  override: GateOverride,
): Promise<Observation<ObservedOverride>> {
  const { client, caches, reader } = readers;
  const key = gateOfOverride(override);
  const gate = caches.gates.get(key);
  /* A gate and its override may be created together, and arrive on separate watches. */
  if (gate === undefined && (await ifFound(client.get(Gate, key))) !== undefined) {
    return new Later(unseenMs);
  }
  /* A recorded end is final, so the other overrides are not needed. */
  if (hasEnded(override)) return { override, gate, overrides: [override] };
  return {
    override,
    gate,
    overrides: gate === undefined ? [override] : reader.overridesOf(gate),
    bound: override.spec.once ? observeTargets(readers, key) : undefined,
  };
}

function observeTargets({ reader, targetsOf }: OverrideReaders, gate: ObjectKey): ObservedTargets {
  const situation = reader.observe(gate);
  return {
    targets: targetsOf(gate),
    situation: situation === 'pending' ? undefined : situation,
    isScoped: reader.hasScopedOverrides(gate),
  };
}
