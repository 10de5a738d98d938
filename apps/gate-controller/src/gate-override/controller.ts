import {
  annotations,
  fieldManagers,
  Gate,
  GateOverride,
  isTyped,
  keyOf,
  type GateOverrideStatus,
  type ObjectKey,
} from '@interlock/api';
import { hasEnded, judgeOverrides, problemsOf, type Subject } from '@interlock/gating';
import {
  annotationsChanged,
  applyStatus,
  generationChanged,
  or,
  type ControllerHandle,
  type EventRecorder,
  type Logger,
  type Manager,
} from '@interlock/kube';
import { logSubject } from '../log-subject.js';
import { gateOfOverride, liveOverridesOf, type GateCaches } from '../caches.js';
import type { GateReader } from '../gate/reader.js';
import type { BoundTarget } from '../gate-binding/actuator.js';
import { decideOverride } from './decide.js';
import { isInScope, subjectOf, type TrackedTarget } from './track.js';

export interface OverrideControllerParts {
  manager: Manager;
  caches: GateCaches;
  reader: GateReader;
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  /** Milliseconds for which an override is kept after its end; 0: for ever. */
  auditTtlMs: number;
  /** What is bound to a gate. */
  targetsOf: (gate: ObjectKey) => readonly BoundTarget[];
}

const specOrStampsChanged = or(
  generationChanged,
  annotationsChanged(annotations.actor, annotations.requestedAt, annotations.approvedBy),
);

/** Adds the controller of GateOverrides. One override may end others, so that each wakes the live ones of its gate. */
export function addGateOverrideController(parts: OverrideControllerParts): ControllerHandle {
  const { manager, caches } = parts;
  const ofGate = (gate: ObjectKey) => liveOverridesOf(caches, gate).map(keyOf);
  return manager.addController({
    name: 'gate-override',
    for: { kind: GateOverride, predicate: specOrStampsChanged },
    watches: [
      {
        kind: GateOverride,
        predicate: specOrStampsChanged,
        map: (override: GateOverride) => ofGate(gateOfOverride(override)),
      },
      { kind: Gate, map: (gate) => ofGate(keyOf(gate)) },
    ],
    reconcile: (key, { now }) => reconcile(parts, key, now),
  });
}

async function reconcile(
  parts: OverrideControllerParts,
  key: ObjectKey,
  now: number,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { manager, caches, reader, auditTtlMs } = parts;
  const override = caches.overrides.get(key);
  if (override === undefined || override.metadata.deletionTimestamp !== undefined) return undefined;
  const gateKey = gateOfOverride(override);
  const gate = caches.gates.get(gateKey);
  if (gate === undefined && (await exists(manager, gateKey))) return { requeueAfterMs: 100 };
  const { stamps } = reader.options;
  /* Nothing changes the end that is on record. */
  const isLive = !hasEnded(override);
  const others = gate !== undefined && isLive ? reader.overridesOf(gate) : [override];
  const judged = gate && judgeOverrides(now, gate, others, stamps === undefined ? {} : { stamps });
  const decision = decideOverride(
    {
      override,
      state: judged?.find((state) => state.override.metadata.name === key.name),
      problems: problemsOf(override),
      targets: override.spec.once && isLive ? trackedTargets(parts, override, now) : [],
    },
    auditTtlMs,
    now,
  );
  if (decision.type === 'remove') {
    await remove(manager, override);
    return undefined;
  }
  await applyStatus(manager.client, GateOverride, override, decision.status, {
    fieldManager: fieldManagers.gateController,
  });
  if (override.status?.phase !== decision.status.phase) tell(parts, override, decision.status);
  return decision.wakeAt === undefined ? undefined : { requeueAfterMs: Math.max(0, decision.wakeAt - now) };
}

/** @returns what is bound to the gate of an override and in its scope. */
function trackedTargets(
  { reader, targetsOf }: OverrideControllerParts,
  override: GateOverride,
  now: number,
): TrackedTarget[] {
  const key = gateOfOverride(override);
  const observed = reader.observe(key);
  const targets = targetsOf(key).filter((target) => isInScope(override, target));
  if (observed === undefined || observed === 'pending') {
    return targets.map((target) => ({ ...target, matters: false }));
  }
  const others = observed.overrides.filter(({ metadata }) => metadata.uid !== override.metadata.uid);
  const isScoped = reader.hasScopedOverrides(key);
  const opens = (subject: Subject | undefined): boolean =>
    reader.decide(observed, now, subject).state === 'Open' &&
    reader.decide({ ...observed, overrides: others }, now, subject).state === 'Closed';
  const forAll = isScoped ? undefined : opens(undefined);
  const forOne = (target: BoundTarget): boolean =>
    [target.revision, ...(target.aliases ?? [])].some((revision) =>
      opens({ ...subjectOf(target), ...(revision !== undefined && { revision }) }),
    );
  return targets.map((target) => ({ ...target, matters: forAll ?? forOne(target) }));
}

/** The gate and its override may come together, on watches of their own. */
async function exists({ client }: Manager, gate: ObjectKey): Promise<boolean> {
  try {
    await client.get(Gate, gate);
    return true;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return false;
    throw error;
  }
}

async function remove({ client }: Manager, override: GateOverride): Promise<void> {
  const { uid } = override.metadata;
  try {
    await client.delete(GateOverride, keyOf(override), { ...(uid !== undefined && { uid }) });
  } catch (error) {
    if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
  }
}

function tell(
  { events, log }: OverrideControllerParts,
  override: GateOverride,
  status: GateOverrideStatus,
): void {
  const { gateRef, effect, reason, ticket, targets, revisions } = override.spec;
  const { phase = 'Pending', actor = 'unverified', message, expiresAt, released } = status;
  const what = `${effect === 'Open' ? 'opening' : 'closing'} Gate ${gateRef.name} by ${actor}: '${reason}'`;
  events.record(override, {
    type: phase === 'Rejected' ? 'Warning' : 'Normal',
    reason: `Override${phase}`,
    action: 'Override',
    note: message === undefined ? what : `${what}: ${message}`,
  });
  log.info(
    {
      ...logSubject(override),
      gate: gateRef.name,
      effect,
      phase,
      actor,
      reason,
      ...(ticket !== undefined && { ticket }),
      ...(targets && { targets }),
      ...(revisions && { revisions }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(released && { released }),
      ...(message !== undefined && { message }),
    },
    `override ${phase.toLowerCase()}: '${reason}'`,
  );
}
