import {
  fieldManagers,
  finalizers,
  GateBinding,
  keyOf,
  type Condition,
  type ObjectKey,
} from '@interlock/api';
import { problemsOf } from '@interlock/gating';
import {
  applyStatus,
  ensureFinalizer,
  generationChanged,
  markFailed,
  removeFinalizer,
  type ControllerHandle,
  type EventRecorder,
  type Manager,
  type ReconcileContext,
} from '@interlock/kube';
import { bindingsOf, gatesOfBinding, type GateCaches } from '../caches.js';
import type { GateMetrics } from '../metrics.js';
import type { Actuator, ActuatorReport, BindingVerdict, Judge } from './actuator.js';
import { bindingStatus } from './decide.js';
import { decideFinalizer } from './finalizer.js';
import { noteHolds } from './hold-metrics.js';

export interface BindingControllerParts {
  manager: Manager;
  caches: GateCaches;
  events: Pick<EventRecorder, 'recordTransitions'>;
  metrics: GateMetrics;
  judge: Judge;
  actuators: readonly Actuator[];
  /** Is told of a binding whose targets changed. */
  targetsChanged: (binding: ObjectKey) => void;
}

const concurrency = 8;
/** A gate that nobody renews is closed from one moment on, of which no event tells; milliseconds. */
const resyncMs = 60_000;
/** For so long a gate may take to be decided over when its state ends, and how often to look; milliseconds. */
const patienceMs = 2_000;
const settleMs = 250;

/** Adds the controller of GateBindings. A change of a gate, of an override or of a target wakes those that it concerns. */
export function addGateBindingController(parts: BindingControllerParts): ControllerHandle {
  const { manager, caches, metrics, judge, actuators } = parts;
  const handle = manager.addController({
    name: 'gate-binding',
    for: { kind: GateBinding, predicate: generationChanged },
    concurrency,
    reconcile: (key, context) => new Reconciliation(parts, context).run(key),
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
  caches.bindings.subscribe((event) => {
    if (event.type === 'deleted') metrics.binding(keyOf(event.object), undefined);
  });
  return handle;
}

class Reconciliation {
  constructor(
    private readonly parts: BindingControllerParts,
    private readonly context: ReconcileContext,
  ) {}

  async run(key: ObjectKey): Promise<{ requeueAfterMs: number } | undefined> {
    const { caches, actuators, judge } = this.parts;
    const cached = caches.bindings.get(key);
    if (cached === undefined) return undefined;
    const own = actuators.find(({ modes }) => modes.includes(cached.spec.mode));
    const isLeaving = cached.metadata.deletionTimestamp !== undefined;
    for (const actuator of actuators) {
      if (isLeaving || actuator !== own) await actuator.release(cached, this.context);
    }
    if (isLeaving) await this.#removeFinalizer(cached);
    if (isLeaving || own === undefined) return undefined;
    const binding = await this.#guard(own, cached);
    if (this.#isAboutToChange(binding)) return { requeueAfterMs: settleMs };
    const verdict = judge.judge(binding, this.context.now);
    const report = await this.#act(own, binding, verdict);
    await this.#report(binding, verdict, report);
    return { requeueAfterMs: Math.min(resyncMs, report.requeueAfterMs ?? resyncMs) };
  }

  /** Stores the finalizer before something is held, and removes it when nothing is. Returns the binding as it is stored. */
  async #guard(own: Actuator, binding: GateBinding): Promise<GateBinding> {
    const { client } = this.parts.manager;
    const decision = decideFinalizer(binding, own.holding(binding));
    if (decision === 'remove') {
      own.unguard(binding);
      await this.#removeFinalizer(binding);
      return binding;
    }
    const stored =
      decision === 'add'
        ? await ensureFinalizer(client, GateBinding, binding, finalizers.gateBinding)
        : binding;
    if (stored.metadata.finalizers?.includes(finalizers.gateBinding) === true) own.guard(stored);
    else own.unguard(stored);
    return stored;
  }

  #removeFinalizer(binding: GateBinding): Promise<void> {
    return removeFinalizer(this.parts.manager.client, GateBinding, binding, finalizers.gateBinding);
  }

  /** A gate whose state ended just now is being decided over: what it says next is not that it is unknown. */
  #isAboutToChange(binding: GateBinding): boolean {
    const { now } = this.context;
    return gatesOfBinding(binding).some((key) => {
      const over = now - Date.parse(this.parts.caches.gates.get(key)?.status?.validUntil ?? '');
      return over >= 0 && over < patienceMs;
    });
  }

  async #act(actuator: Actuator, binding: GateBinding, verdict: BindingVerdict): Promise<ActuatorReport> {
    try {
      return await actuator.act(binding, verdict, this.context);
    } catch (error) {
      this.parts.metrics.actuationFailed(binding.spec.mode);
      await this.#reportFailure(binding, error);
      throw error;
    }
  }

  async #reportFailure(binding: GateBinding, error: unknown): Promise<void> {
    const { generation } = binding.metadata;
    const conditions = markFailed(binding.status?.conditions, error, generation, this.context.now);
    const status = { ...binding.status, observedGeneration: generation, conditions };
    await applyStatus(this.parts.manager.client, GateBinding, binding, status, {
      fieldManager: fieldManagers.gateController,
    });
  }

  async #report(binding: GateBinding, verdict: BindingVerdict, report: ActuatorReport): Promise<void> {
    const { manager, events, metrics } = this.parts;
    const { now } = this.context;
    const status = bindingStatus({ binding, problems: problemsOf(binding), verdict, report }, now);
    await applyStatus(manager.client, GateBinding, binding, status, {
      fieldManager: fieldManagers.gateController,
    });
    noteHolds(metrics, binding, status, now);
    events.recordTransitions(binding, 'Reconcile', binding.status?.conditions, status.conditions, severity);
  }
}

/** What is closed is as somebody wants it; everything else that is not as it should be is worth a warning. */
function severity({ type, status }: Condition): 'Normal' | 'Warning' {
  if (type === 'Open') return 'Normal';
  return (type === 'Ready') === (status === 'False') ? 'Warning' : 'Normal';
}
