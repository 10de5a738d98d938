import type { GateOverride, ObjectKey } from '@interlock/api';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * The metrics of the gate-controller. Labels name gates, bindings, modes and kinds of causes, whose number does not grow
 * with time; the series of deleted objects are removed.
 */
export interface GateMetrics {
  /** Records the state of a gate; `open` is undefined if the gate is gone. */
  gate(gate: ObjectKey, open: boolean | undefined): void;
  /**
   * Counts a transition.
   *
   * @param cause kind of the cause, such as GateKeeper, without a name
   */
  transition(cause: string): void;
  /** Records the state of a binding; `state` is undefined if the binding is gone. */
  binding(binding: ObjectKey, state: { held: number; skew: boolean } | undefined): void;
  /** Records that an object that a binding of a mode held was released after this time. */
  held(mode: string, seconds: number): void;
  actuationFailed(mode: string): void;
  /**
   * Registers a function that returns the overrides in force and when they were requested, in milliseconds since the
   * epoch. It is called at each scrape.
   */
  overrides(list: () => { override: GateOverride; since: number }[], now: () => number): void;
  /**
   * Registers a function that returns how far the clock is ahead of the API server's, in milliseconds. It is called at
   * each scrape.
   */
  clockSkew(skewMs: () => number | undefined): void;
}

/** A minute, an hour, a day, and the days of a long freeze; in seconds. */
const holdBuckets = [60, 600, 3_600, 6 * 3_600, 86_400, 3 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400];

/** Returns the metrics of gates. It may be called once per registry. */
export function prometheusGateMetrics(registry: Registry): GateMetrics {
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const state = gauge('gate_state', 'Whether the gate is open: 1 open, 0 closed.', ['gate', 'namespace']);
  const targets = gauge('gate_held_targets', 'Number of objects that a binding holds.', [
    'binding',
    'namespace',
  ]);
  const skew = gauge('gate_skew', 'Whether sources that belong together wait for different gates: 1 yes.', [
    'binding',
    'namespace',
  ]);
  const transitions = counter('gate_transition_total', 'State changes of gates.', ['cause']);
  const failures = counter('gate_actuation_errors_total', 'Failed attempts to hold or release.', ['mode']);
  const seconds = new Histogram({
    name: 'gate_hold_seconds',
    help: 'Time for which objects were held, recorded when they are released.',
    labelNames: ['mode'],
    buckets: holdBuckets,
    registers,
  });
  return {
    gate({ namespace = '', name }, open) {
      const labels = { gate: name, namespace };
      if (open === undefined) state.remove(labels);
      else state.set(labels, open ? 1 : 0);
    },
    transition: (cause) => transitions.inc({ cause }),
    binding({ namespace = '', name }, known) {
      const labels = { binding: name, namespace };
      if (known === undefined) {
        targets.remove(labels);
        skew.remove(labels);
      } else {
        targets.set(labels, known.held);
        skew.set(labels, known.skew ? 1 : 0);
      }
    },
    held: (mode, time) => seconds.observe({ mode }, time),
    actuationFailed: (mode) => failures.inc({ mode }),
    overrides: (list, now) => scrapeOverrides(registers, list, now),
    clockSkew(skewMs) {
      new Gauge({
        name: 'gate_clock_skew_seconds',
        help: 'How far the clock of the gate-controller is ahead of the clock of the API server.',
        registers,
        collect() {
          this.set((skewMs() ?? 0) / 1000);
        },
      });
    },
  };
}

function scrapeOverrides(
  registers: Registry[],
  list: () => { override: GateOverride; since: number }[],
  now: () => number,
): void {
  const labelNames = ['effect'] as const;
  const of = (effect: string) => list().filter(({ override }) => override.spec.effect === effect);
  new Gauge({
    name: 'gate_override_active',
    help: 'Number of overrides in force.',
    labelNames,
    registers,
    collect() {
      for (const effect of ['Open', 'Close']) this.set({ effect }, of(effect).length);
    },
  });
  new Gauge({
    name: 'gate_override_age_seconds',
    help: 'Age of the oldest override in force.',
    labelNames,
    registers,
    collect() {
      for (const effect of ['Open', 'Close']) {
        const ages = of(effect).map(({ since }) => now() - since);
        this.set({ effect }, Math.max(0, ...ages) / 1000);
      }
    },
  });
}
