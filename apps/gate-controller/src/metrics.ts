import { Counter, Gauge, type Registry } from 'prom-client';

/** What the gate controller reports; nothing here has unbounded label values. */
export interface GateMetrics {
  /** @param open undefined: the gate is gone. */
  gate(gate: { namespace: string; name: string }, open: boolean | undefined): void;
  /** @param cause kind of the cause, such as GateKeeper, without a name. */
  transition(cause: string): void;
  actuationFailed(mode: string): void;
}

/** The metrics of gates; may be called once per registry. */
export function prometheusGateMetrics(registry: Registry): GateMetrics {
  const registers = [registry];
  const state = new Gauge({
    name: 'gate_state',
    help: 'Whether the gate is open: 1 open, 0 closed.',
    labelNames: ['gate', 'namespace'],
    registers,
  });
  const transitions = new Counter({
    name: 'gate_transition_total',
    help: 'Changes of the state of a gate, by the kind of what caused them.',
    labelNames: ['cause'],
    registers,
  });
  const failures = new Counter({
    name: 'gate_actuation_errors_total',
    help: 'Targets that could not be held or released, by the mode of the binding.',
    labelNames: ['mode'],
    registers,
  });
  return {
    gate({ namespace, name }, open) {
      const labels = { gate: name, namespace };
      if (open === undefined) state.remove(labels);
      else state.set(labels, open ? 1 : 0);
    },
    transition: (cause) => transitions.inc({ cause }),
    actuationFailed: (mode) => failures.inc({ mode }),
  };
}
