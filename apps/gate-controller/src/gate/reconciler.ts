import { Gate, GateKeeper, GateOverride, keyOf } from '@interlock/api';
import type { GateAuditSigner } from '@interlock/gating';
import { generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import { gateOfKeeper, gateOfOverride, type GateCaches } from '../caches.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import type { GateMetrics } from '../metrics.js';
import { actOnGate } from './act.js';
import type { EvaluationBarrier } from './barrier.js';
import { decideGateAction } from './decide.js';
import { observeGate, type GateReaders } from './observe.js';
import { TransitionReporter, type TransitionReporterParts } from './transition-reporter.js';

interface GateReconcilerParts extends GateReaders, TransitionReporterParts {
  manager: Manager;
  caches: GateCaches;
  inputs: KeeperInputs;
  barrier: EvaluationBarrier;
  metrics: Pick<GateMetrics, 'gate' | 'transition'>;
  /** Signs the audit records; if undefined, they are not signed. */
  sign?: GateAuditSigner | undefined;
}

const concurrency = 8;

/** Adds the reconciler of Gates. Their status is the record of their transitions. */
export function addGateReconciler(parts: GateReconcilerParts): ControllerHandle {
  const { manager, caches, inputs, reader, barrier, metrics, sign } = parts;
  const reporter = new TransitionReporter(parts);
  const handle = manager.addReconciler({
    name: 'gate',
    transitions: { of: [] },
    statusMode: 'record',
    for: { kind: Gate, predicate: generationChanged },
    watches: [
      { kind: GateKeeper, predicate: generationChanged, map: (keeper: GateKeeper) => [gateOfKeeper(keeper)] },
      { kind: GateOverride, map: (override: GateOverride) => [gateOfOverride(override)] },
    ],
    concurrency,
    observe: (gate) => observeGate(parts, gate),
    decide: (observed, now) =>
      decideGateAction(observed, reader.decide(observed, now), now, reader.options, sign),
    act: (_decision, observed) => actOnGate(reporter, observed),
    conclude: (_observed, { status, requeueAfterMs }) => ({ status, requeueAfterMs }),
    concluded({ stored, observed, decision }) {
      reporter.catchUp(stored);
      reader.ended.recorded(stored, observed.ended, decision.decidedAt);
      metrics.gate(keyOf(stored), decision.status.state === 'Open');
      barrier.evaluated(stored);
    },
    forgotten(key) {
      barrier.gone(key);
      metrics.gate(key, undefined);
      reporter.forget(key);
    },
  });
  inputs.onChange((key) => {
    const keeper = caches.keepers.get(key);
    if (keeper !== undefined) handle.enqueue(gateOfKeeper(keeper));
  });
  return handle;
}
