import { finalizers, type GateBinding } from '@interlock/api';
import type { ActContext } from '@interlock/kube';
import type { GateMetrics } from '../metrics.js';
import { actuatorOf, type Actuator, type ActuatorReport } from './actuator.js';
import type { BindingDecision } from './decide.js';
import { decideFinalizer } from './finalizer.js';
import type { ObservedBinding } from './observed.js';

interface BindingActors {
  actuators: readonly Actuator[];
  metrics: Pick<GateMetrics, 'actuationFailed'>;
}

/** The outcome of a decision about a binding. */
export interface BindingOutcome {
  /** Whether nothing is held for the binding, and nothing more will be, so that it does not need a finalizer. */
  isReleased: boolean;
  /** Absent if the actuator did not act. */
  report?: ActuatorReport | undefined;
}

/**
 * Holds and releases the objects of a binding.
 *
 * @throws any error of an actuator
 */
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

/**
 * Lets the actuator hold objects for a binding that has the finalizer. Returns false if the finalizer must be removed.
 */
function guard(own: Actuator, binding: GateBinding, { finalizer }: BindingDecision): boolean {
  /* A hold may have begun since the observation. No other code runs between this answer and its consequences. */
  if (finalizer === 'remove' && decideFinalizer(binding, own.holding(binding)) === 'remove') {
    own.unguard(binding);
    return false;
  }
  if (binding.metadata.finalizers?.includes(finalizers.gateBinding) === true) own.guard(binding);
  else own.unguard(binding);
  return true;
}
