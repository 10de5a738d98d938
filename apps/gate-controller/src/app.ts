import { keyOf, type ObjectKey } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { judgeOverrides, type GateAuditSigner } from '@interlock/gating';
import { Applier, type EventRecorder, type Manager } from '@interlock/kube';
import { createGateCaches, decidersOf, gatesOfBinding, liveOverridesOf, type GateCaches } from './caches.js';
import { EvaluationBarrier } from './gate/barrier.js';
import { GateReader } from './gate/reader.js';
import { addGateReconciler } from './gate/reconciler.js';
import { SkewWatch } from './gate/skew-watch.js';
import type { Actuator } from './gate-binding/actuator.js';
import { boundTargets } from './gate-binding/bound.js';
import { CommitStatusActuator } from './gate-binding/commit-status/actuator.js';
import { HoldActuator } from './gate-binding/holds/actuator.js';
import { BindingJudge } from './gate-binding/judge.js';
import { addGateBindingReconciler } from './gate-binding/reconciler.js';
import { addGateKeeperReconciler } from './gate-keeper/reconciler.js';
import { addGateOverrideReconciler } from './gate-override/reconciler.js';
import { fetchCalendar } from './inputs/calendar-fetch.js';
import { KeeperInputs } from './inputs/keeper-inputs.js';
import type { GateMetrics } from './metrics.js';

export interface GateControllerOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  metrics: GateMetrics;
  /** Uniform in [0, 1). */
  random: () => number;
  /** How far this machine's clock is ahead of the API server's, in milliseconds; undefined if it is not known. */
  skewMs: () => number | undefined;
  /** Milliseconds for which the state of a gate is valid if it is not renewed. */
  stateTtlMs: number;
  /** Milliseconds for which a GateOverride is kept after its end; 0 keeps it forever. */
  auditTtlMs: number;
  /** Hosts from which calendars may be read. */
  calendarHosts: readonly string[];
  /** Signs the audit records; if undefined, they are not signed. */
  sign?: GateAuditSigner | undefined;
  /** Whether this process stamps GateOverrides on admission. If so, an override without a stamp is rejected. */
  servesAdmission: boolean;
  /** Milliseconds between two checks for kinds that may be installed later. */
  discoveryIntervalMs?: number | undefined;
}

/** The parts that the servers next to the controllers use. */
interface GateController {
  caches: GateCaches;
  reader: GateReader;
}

/** Adds the controllers of gates, keepers, overrides and bindings to a manager. */
export function addGateController(options: GateControllerOptions): GateController {
  const { manager, events, log, metrics, random, skewMs, stateTtlMs, auditTtlMs, calendarHosts } = options;
  const { client, clock } = manager;
  const caches = createGateCaches(manager);
  const inputs = new KeeperInputs(caches.keepers, {
    client,
    clock,
    log,
    random,
    fetchCalendar: (url, signal) => fetchCalendar(url, { hosts: calendarHosts, signal }),
    checkIntervalMs: options.discoveryIntervalMs,
  });
  manager.add(inputs);
  const stamps = options.servesAdmission ? ('required' as const) : ('ignored' as const);
  const reader = new GateReader(caches, inputs, { stateTtlMs, stamps });
  const barrier = new EvaluationBarrier(caches.gates);
  const judge = new BindingJudge(caches, reader, barrier);
  const applier = new Applier(client);
  const { bindings } = caches;
  const actuators: Actuator[] = [
    new CommitStatusActuator({ manager, applier, bindings, judge }),
    new HoldActuator({
      manager,
      events,
      log,
      metrics,
      random,
      bindings,
      judge,
      decidersOf: (binding) => decidersOf(caches, binding),
      discoveryIntervalMs: options.discoveryIntervalMs,
    }),
  ];
  const targetsOf = (gate: ObjectKey) => boundTargets(caches, actuators, gate);
  const state = { manager, caches, inputs, reader, barrier, events, log, metrics, skewMs, targetsOf };
  const gates = addGateReconciler({ ...state, sign: options.sign });
  addGateKeeperReconciler({ manager, caches, inputs, reader });
  const overrides = addGateOverrideReconciler({ manager, caches, reader, log, auditTtlMs, targetsOf });
  /* The revision that a target takes counts for overrides that end after one revision. */
  const targetsChanged = (binding: ObjectKey) =>
    onceOverridesOf(caches, binding).forEach((override) => overrides.enqueue(override));
  addGateBindingReconciler({ manager, caches, metrics, judge, actuators, targetsChanged });
  const skewWatch = new SkewWatch(client, clock, skewMs, () => {
    for (const gate of caches.gates.list()) gates.enqueue(keyOf(gate));
  });
  manager.add(skewWatch);
  metrics.clockSkew(skewMs);
  const now = () => clock.now();
  metrics.overrides(() => overridesInForce(caches, reader, now()), now);
  return { caches, reader };
}

function onceOverridesOf(caches: GateCaches, key: ObjectKey): ObjectKey[] {
  const binding = caches.bindings.get(key);
  const gates = binding === undefined ? [] : gatesOfBinding(binding);
  return gates
    .flatMap((gate) => liveOverridesOf(caches, gate))
    .filter(({ spec }) => spec.once)
    .map(keyOf);
}

function overridesInForce(caches: GateCaches, reader: GateReader, now: number) {
  return caches.gates.list().flatMap((gate) =>
    judgeOverrides(now, gate, reader.overridesOf(gate), reader.options)
      .filter(({ phase }) => phase === 'Active')
      .map(({ override, requestedAt: since }) => ({ override, since })),
  );
}
