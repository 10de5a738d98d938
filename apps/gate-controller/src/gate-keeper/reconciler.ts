import { Gate, GateKeeper, keyOf } from '@interlock/api';
import { warningsOf } from '@interlock/gating';
import { generationChanged, Later, type ControllerHandle, type Manager } from '@interlock/kube';
import { gateOfKeeper, keepersOf, type GateCaches } from '../caches.js';
import type { GateReader } from '../gate/reader.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import { decideKeeper } from './decide.js';

interface KeeperReconcilerParts {
  manager: Manager;
  caches: GateCaches;
  inputs: KeeperInputs;
  reader: GateReader;
}

const pendingMs = 1_000;
const dayMs = 86_400_000;

/** Adds the reconciler of GateKeepers. It only reports their own state; gates read the keepers directly. */
export function addGateKeeperReconciler(parts: KeeperReconcilerParts): ControllerHandle {
  const { manager, caches, inputs, reader } = parts;
  const warnings = rememberedWarnings();
  const handle = manager.addReconciler({
    name: 'gate-keeper',
    transitions: { action: 'Evaluate' },
    for: { kind: GateKeeper, predicate: generationChanged },
    watches: [
      {
        kind: Gate,
        predicate: (event) => event.type !== 'updated',
        map: (gate) => keepersOf(caches, keyOf(gate)).map(keyOf),
      },
    ],
    observe(keeper, { now }) {
      const input = inputs.of(keeper);
      if (input === undefined) return new Later(pendingMs);
      return {
        input,
        hasGate: caches.gates.get(gateOfKeeper(keeper)) !== undefined,
        warnings: warnings(keeper, now),
        calendarText: inputs.calendarText(keeper),
        calendarReadAt: inputs.calendarReadAt(keeper),
      };
    },
    decide: (observed, now) => decideKeeper(observed, now, reader.options),
    conclude: (_observed, { status, nextAt }, _outcome, now) => ({
      status,
      requeueAfterMs: nextAt === undefined ? undefined : Math.max(0, nextAt - now),
    }),
  });
  inputs.onChange((keeper) => handle.enqueue(keeper));
  return handle;
}

/**
 * Returns a function that remembers the warnings of keepers: evaluating years of a schedule takes time, and gives the
 * same result for the same spec on one day.
 */
function rememberedWarnings(): (keeper: GateKeeper, now: number) => readonly string[] {
  const known = new WeakMap<GateKeeper['spec'], { day: number; warnings: readonly string[] }>();
  return (keeper, now) => {
    const day = Math.floor(now / dayMs);
    const last = known.get(keeper.spec);
    if (last?.day === day) return last.warnings;
    const warnings = warningsOf(keeper, now);
    known.set(keeper.spec, { day, warnings });
    return warnings;
  };
}
