import { fieldManagers, Gate, GateKeeper, keyOf, type Condition } from '@interlock/api';
import { warningsOf } from '@interlock/gating';
import {
  applyStatus,
  generationChanged,
  type ControllerHandle,
  type EventRecorder,
  type Manager,
} from '@interlock/kube';
import { gateOfKeeper, keepersOf, type GateCaches } from '../caches.js';
import type { GateReader } from '../gate/reader.js';
import type { KeeperInputs } from '../inputs/keeper-inputs.js';
import { decideKeeper } from './decide.js';

export interface KeeperControllerParts {
  manager: Manager;
  caches: GateCaches;
  inputs: KeeperInputs;
  reader: GateReader;
  events: Pick<EventRecorder, 'recordTransitions'>;
}

const pendingMs = 1_000;
const dayMs = 86_400_000;

/** Adds the controller of GateKeepers, which only report on themselves; gates read them directly. */
export function addGateKeeperController(parts: KeeperControllerParts): ControllerHandle {
  const { manager, caches, inputs, reader, events } = parts;
  const warnings = rememberedWarnings();
  const handle = manager.addController({
    name: 'gate-keeper',
    for: { kind: GateKeeper, predicate: generationChanged },
    watches: [
      {
        kind: Gate,
        predicate: (event) => event.type !== 'updated',
        map: (gate) => keepersOf(caches, keyOf(gate)).map(keyOf),
      },
    ],
    reconcile: async (key, { now }) => {
      const keeper = caches.keepers.get(key);
      if (keeper === undefined || keeper.metadata.deletionTimestamp !== undefined) return;
      const input = inputs.of(keeper);
      if (input === undefined) return { requeueAfterMs: pendingMs };
      const observed = {
        input,
        hasGate: caches.gates.get(gateOfKeeper(keeper)) !== undefined,
        warnings: warnings(keeper, now),
        calendarText: inputs.calendarText(keeper),
        calendarReadAt: inputs.calendarReadAt(keeper),
      };
      const { status, nextAt } = decideKeeper(observed, now, reader.options);
      await applyStatus(manager.client, GateKeeper, keeper, status, {
        fieldManager: fieldManagers.gateController,
      });
      events.recordTransitions(keeper, 'Evaluate', keeper.status?.conditions, status.conditions, severity);
      return nextAt === undefined ? {} : { requeueAfterMs: Math.max(0, nextAt - now) };
    },
  });
  inputs.onChange((keeper) => handle.enqueue(keeper));
  return handle;
}

/** Reading years of a schedule takes its time, and gives the same for the same spec on one day. */
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

function severity({ type, status }: Condition): 'Normal' | 'Warning' {
  return (type === 'Ready') === (status === 'False') ? 'Warning' : 'Normal';
}
