import { annotations, Gate, GateOverride, keyOf, type ObjectKey } from '@interlock/api';
import type { Logger } from '@interlock/base';
import {
  annotationsChanged,
  generationChanged,
  or,
  type ControllerHandle,
  type Manager,
} from '@interlock/kube';
import { gateOfOverride, liveOverridesOf } from '../caches.js';
import { actOnOverride } from './act.js';
import { concludeOverride, hasNewPhase } from './conclude.js';
import { decideOverride } from './decide.js';
import { logPhase } from './log.js';
import { observeOverride, type OverrideReaders } from './observe.js';

interface OverrideReconcilerParts extends Omit<OverrideReaders, 'client'> {
  manager: Manager;
  log: Logger;
  /** Milliseconds for which an override is kept after its end; 0 keeps it forever. */
  auditTtlMs: number;
}

const specOrStampsChanged = or(
  generationChanged,
  annotationsChanged(annotations.actor, annotations.requestedAt, annotations.approvedBy),
);

/**
 * Adds the reconciler of GateOverrides. One override may end others, so each change wakes the live overrides of its
 * gate.
 */
export function addGateOverrideReconciler(parts: OverrideReconcilerParts): ControllerHandle {
  const { manager, caches, reader, log, auditTtlMs } = parts;
  const { client } = manager;
  const ofGate = (gate: ObjectKey) => liveOverridesOf(caches, gate).map(keyOf);
  return manager.addReconciler({
    name: 'gate-override',
    transitions: { of: [] },
    for: { kind: GateOverride, predicate: specOrStampsChanged },
    watches: [
      {
        kind: GateOverride,
        predicate: specOrStampsChanged,
        map: (override: GateOverride) => ofGate(gateOfOverride(override)),
      },
      { kind: Gate, map: (gate) => ofGate(keyOf(gate)) },
    ],
    observe: (override) => observeOverride({ ...parts, client }, override),
    decide: (observed, now) => decideOverride(observed, { auditTtlMs, engine: reader.options }, now),
    act: (decision, observed) => actOnOverride(client, observed, decision),
    conclude: concludeOverride,
    concluded({ object, decision }) {
      if (hasNewPhase(object, decision)) logPhase(log, object, decision.status);
    },
  });
}
