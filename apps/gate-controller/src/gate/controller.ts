import { Gate, GateKeeper, GateOverride, keyOf, type ObjectKey } from '@interlock/api';
import type { GateAuditSigner } from '@interlock/gating';
import { generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import { gateOfKeeper, gateOfOverride, type GateCaches } from '../caches.js';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import { writeGateStatus } from './act.js';
import type { EvaluationBarrier } from './barrier.js';
import { decideGateAction } from './decide.js';
import type { GateReader } from './reader.js';
import { Teller, type TellerParts } from './teller.js';

export interface GateControllerParts extends TellerParts {
  manager: Manager;
  caches: GateCaches;
  inputs: KeeperInputs;
  reader: GateReader;
  barrier: EvaluationBarrier;
  /** How far this machine's clock is ahead of the API server's; milliseconds, undefined: not known. */
  skewMs: () => number | undefined;
  /** Signs the records of the audit; undefined: they are not signed. */
  sign?: GateAuditSigner | undefined;
  /** What is bound to a gate. */
  targetsOf: (gate: ObjectKey) => readonly BoundTarget[];
}

const concurrency = 8;
/** Until what a keeper refers to is read an event comes; this is for a lost one. */
const pendingMs = 1_000;

/** Adds the controller of Gates. */
export function addGateStateController(parts: GateControllerParts): ControllerHandle {
  const { manager, caches, inputs, metrics } = parts;
  const teller = new Teller(parts);
  const handle = manager.addController({
    name: 'gate',
    for: { kind: Gate, predicate: generationChanged },
    watches: [
      { kind: GateKeeper, predicate: generationChanged, map: (keeper: GateKeeper) => [gateOfKeeper(keeper)] },
      { kind: GateOverride, map: (override: GateOverride) => [gateOfOverride(override)] },
    ],
    concurrency,
    reconcile: (key, { now }) => reconcile(parts, teller, key, now),
  });
  inputs.onChange((key) => {
    const keeper = caches.keepers.get(key);
    if (keeper !== undefined) handle.enqueue(gateOfKeeper(keeper));
  });
  caches.gates.subscribe((event) => {
    if (event.type !== 'deleted') return;
    const { name, namespace = '' } = keyOf(event.object);
    metrics.gate({ namespace, name }, undefined);
    teller.forget(event.object);
  });
  return handle;
}

async function reconcile(
  { manager, reader, barrier, metrics, skewMs, targetsOf, sign }: GateControllerParts,
  teller: Teller,
  key: ObjectKey,
  now: number,
): Promise<{ requeueAfterMs: number } | undefined> {
  const ended = reader.ended.inView(key);
  const observed = reader.observe(key);
  if (observed === undefined || isLeaving(observed)) {
    barrier.gone(key);
    return undefined;
  }
  if (observed === 'pending') return { requeueAfterMs: pendingMs };
  const situation = { ...observed, targets: targetsOf(key), skewMs: skewMs() };
  const action = decideGateAction(situation, reader.decide(observed, now), now, reader.options, sign);
  teller.catchUp(observed.gate);
  const written = await writeGateStatus(manager.client, observed.gate, action.status);
  teller.catchUp(written);
  reader.ended.recorded(written, ended, now);
  const { name, namespace = '' } = key;
  metrics.gate({ namespace, name }, action.status.state === 'Open');
  barrier.evaluated(written);
  return { requeueAfterMs: action.requeueAfterMs };
}

function isLeaving(observed: { gate: Gate } | 'pending'): boolean {
  return observed !== 'pending' && observed.gate.metadata.deletionTimestamp !== undefined;
}
