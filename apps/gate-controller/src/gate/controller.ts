import { Gate, GateKeeper, GateOverride, keyOf, type ObjectKey } from '@interlock/api';
import { generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import { gateOfKeeper, gateOfOverride, type GateCaches } from '../caches.js';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import { actOnGate, type GateActor } from './act.js';
import type { EvaluationBarrier } from './barrier.js';
import { decideGateAction } from './decide.js';
import type { GateReader } from './reader.js';

export interface GateControllerParts {
  manager: Manager;
  caches: GateCaches;
  inputs: KeeperInputs;
  reader: GateReader;
  barrier: EvaluationBarrier;
  actor: GateActor;
  /** How far this machine's clock is ahead of the API server's; milliseconds, undefined: not known. */
  skewMs: () => number | undefined;
  /** What is bound to a gate. */
  targetsOf: (gate: ObjectKey) => readonly BoundTarget[];
}

const concurrency = 8;
/** Until what a keeper refers to is read an event comes; this is for a lost one. */
const pendingMs = 1_000;

/** Adds the controller of Gates. */
export function addGateStateController(parts: GateControllerParts): ControllerHandle {
  const { manager, caches, inputs, barrier, actor } = parts;
  const handle = manager.addController({
    name: 'gate',
    for: { kind: Gate, predicate: generationChanged },
    watches: [
      { kind: GateKeeper, predicate: generationChanged, map: (keeper: GateKeeper) => [gateOfKeeper(keeper)] },
      { kind: GateOverride, map: (override: GateOverride) => [gateOfOverride(override)] },
    ],
    concurrency,
    reconcile: (key, { now }) => reconcile(parts, key, now),
  });
  inputs.onChange((key) => {
    const keeper = caches.keepers.get(key);
    if (keeper !== undefined) handle.enqueue(gateOfKeeper(keeper));
  });
  caches.gates.subscribe((event) => {
    if (event.type !== 'deleted') return;
    const { name, namespace = '' } = keyOf(event.object);
    actor.metrics.gate({ namespace, name }, undefined);
    barrier.evaluated(keyOf(event.object));
  });
  return handle;
}

async function reconcile(
  { reader, barrier, actor, skewMs, targetsOf }: GateControllerParts,
  key: ObjectKey,
  now: number,
): Promise<{ requeueAfterMs: number } | undefined> {
  const observed = reader.observe(key);
  if (observed === undefined || isLeaving(observed)) {
    barrier.evaluated(key);
    return undefined;
  }
  if (observed === 'pending') return { requeueAfterMs: pendingMs };
  const situation = { ...observed, targets: targetsOf(key), skewMs: skewMs() };
  const action = decideGateAction(situation, reader.decide(observed, now), now, reader.options);
  await actOnGate(actor, observed.gate, action);
  barrier.evaluated(key);
  return { requeueAfterMs: action.requeueAfterMs };
}

function isLeaving(observed: { gate: Gate } | 'pending'): boolean {
  return observed !== 'pending' && observed.gate.metadata.deletionTimestamp !== undefined;
}
