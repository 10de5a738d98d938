import { finalizers, GateBinding, keyOf, type ObjectKey } from '@interlock/api';
import { Failure, generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import { bindingsOf } from '../caches.js';
import type { GateMetrics } from '../metrics.js';
import { actOnBinding } from './act.js';
import { concludeBinding } from './conclude.js';
import { decideBinding } from './decide.js';
import { recordHolds } from './hold-metrics.js';
import { observeBinding, type BindingReaders } from './observe.js';

interface BindingReconcilerParts extends BindingReaders {
  manager: Manager;
  metrics: GateMetrics;
  /** Called with a binding whose targets changed. */
  targetsChanged: (binding: ObjectKey) => void;
}

const concurrency = 8;

/**
 * Adds the reconciler of GateBindings. A change of a gate, of an override or of a target wakes the affected bindings.
 */
export function addGateBindingReconciler(parts: BindingReconcilerParts): ControllerHandle {
  const { manager, caches, metrics, judge, actuators } = parts;
  const handle = manager.addReconciler({
    name: 'gate-binding',
    finalizer: { name: finalizers.gateBinding, isNeeded: ({ finalizer }) => finalizer === 'add' },
    for: { kind: GateBinding, predicate: generationChanged },
    concurrency,
    observe: (binding, { now }) => observeBinding(parts, binding, now),
    decide: decideBinding,
    act: (decision, observed, context) => actOnBinding(parts, observed, decision, context),
    conclude: concludeBinding,
    concluded({ object, stored: { status }, outcome, now }) {
      if (outcome instanceof Failure || outcome.report === undefined || status === undefined) return;
      recordHolds(metrics, object, status, now);
    },
    forgotten: (key) => metrics.binding(key, undefined),
  });
  for (const actuator of actuators) {
    actuator.subscribe((binding) => {
      handle.enqueue(binding);
      parts.targetsChanged(binding);
    });
  }
  judge.subscribe((gate) => {
    const concerned = gate === 'all' ? caches.bindings.list() : bindingsOf(caches, gate);
    for (const binding of concerned) handle.enqueue(keyOf(binding));
  });
  return handle;
}
