import { finalizers, type GateBinding } from '@interlock/api';
import type { ActContext } from '@interlock/kube';
import type { GateMetrics } from '../metrics.js';
import { actuatorOf, type Actuator, type ActuatorReport } from './actuator.js';
import type { BindingDecision } from './decide.js';
import { decideFinalizer } from './finalizer.js';
import type { ObservedBinding } from './observed.js';

export interface BindingActors {
  actuators: readonly Actuator[];
  metrics: Pick<GateMetrics, 'actuationFailed'>;
}

/** What came of a decision over a binding. */
export interface BindingOutcome {
  /** Nothing is held for it, and nothing more will be: it needs no finalizer. */
  isReleased: boolean;
  /** Absent: its actuator did not act. */
  report?: ActuatorReport | undefined;
}

/** Holds and releases what a binding binds. @throws whatever an actuator throws */
export async function actOnBinding(
  { actuators, metrics }: BindingActors,
  { verdict }: ObservedBinding,
  decision: BindingDecision,
  context: ActContext<GateBinding>,
): Promise<BindingOutcome> {
  const binding = context.object;
  const own = actuatorOf(actuators, binding);
  const isLeaving = decision.type === 'release';
  for (const actuator of actuators) {
    if (isLeaving || actuator !== own) await actuator.release(binding, context);
  }
  if (isLeaving || own === undefined) return { isReleased: isLeaving };
  const isReleased = !guard(own, binding, decision);
  if (decision.type === 'wait') return { isReleased };
  try {
    return { isReleased, report: await own.act(binding, verdict, context) };
  } catch (error) {
    metrics.actuationFailed(binding.spec.mode);
    throw error;
  }
}

/** Lets the actuator hold for a binding that has the finalizer. Returns false when the finalizer is to be removed. */
function guard(own: Actuator, binding: GateBinding, { finalizer }: BindingDecision): boolean {
  /* A hold may have begun since the observation. Between this answer and what follows from it nothing else runs. */
  if (finalizer === 'remove' && decideFinalizer(binding, own.holding(binding)) === 'remove') {
    own.unguard(binding);
    return false;
  }
  if (binding.metadata.finalizers?.includes(finalizers.gateBinding) === true) own.guard(binding);
  else own.unguard(binding);
  return true;
}
