import type { EventRecorder, Logger, Manager } from '@interlock/kube';
import { createGateCaches } from './caches.js';
import { addGateBindingController } from './gate-binding/controller.js';
import type { GateMetrics } from './metrics.js';

export interface GateControllerOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'record' | 'recordTransitions'>;
  log: Logger;
  metrics: GateMetrics;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Milliseconds for which the state of a gate may be believed when nobody renews it. */
  stateTtlMs: number;
  /** Milliseconds for which a GateOverride is kept after its end; 0: for ever. */
  auditTtlMs: number;
  /** Hosts from which calendars may be read. */
  calendarHosts: readonly string[];
  /** Whether this process stamps GateOverrides on admission; if so, one without a stamp is rejected. */
  servesAdmission: boolean;
  /** Milliseconds between two looks for kinds that may be installed later. */
  discoveryIntervalMs?: number;
}

/** Adds the controllers of gates, keepers, overrides and bindings to a manager. */
export function addGateController(options: GateControllerOptions): void {
  const caches = createGateCaches(options.manager);
  addGateBindingController(options, caches, []);
}
