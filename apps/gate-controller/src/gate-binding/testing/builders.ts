import { finalizers, Gate, GateBinding, timestampOf, typeMeta } from '@interlock/api';
import type { ActuatorReport, BindingVerdict } from '../actuator.js';
import { nothingHeld } from '../finalizer.js';
import type { ObservedBinding } from '../observed.js';

export const now = Date.UTC(2030, 0, 1, 12);

export const guarded = { finalizers: [finalizers.gateBinding] };

/** Returns a binding that suspends a source. */
export function binding(
  metadata: Partial<GateBinding['metadata']> = {},
  status?: GateBinding['status'],
): GateBinding {
  return {
    ...typeMeta(GateBinding),
    metadata: { name: 'release', namespace: 'apps', generation: 2, ...metadata },
    spec: {
      mode: 'Suspend',
      refs: [{ name: 'freeze' }],
      require: 'all',
      scope: 'Updates',
      targets: [{ kind: 'GitRepository', name: 'shop' }],
    },
    ...(status && { status }),
  };
}

/**
 * Returns a gate.
 *
 * @param endsMs until when its state is valid; milliseconds from now
 */
export function gate(endsMs?: number): Gate {
  return {
    ...typeMeta(Gate),
    metadata: { name: 'freeze', namespace: 'apps' },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
    ...(endsMs !== undefined && { status: { state: 'Closed', validUntil: timestampOf(now + endsMs) } }),
  };
}

/** Returns the verdict of one gate. */
export function verdict(state: 'Open' | 'Closed' | 'Unknown', message = state.toLowerCase()): BindingVerdict {
  const own = { state: state === 'Open' ? ('Open' as const) : ('Closed' as const), message };
  const gates = [{ name: 'freeze', namespace: 'apps', state, message }];
  return { ...own, gates, mayRelease: true, of: () => own, approvedRevisions: () => [] };
}

/** Returns the observation of a binding that holds nothing, with a gate that is closed. */
export function observed(changes: Partial<ObservedBinding> = {}): ObservedBinding {
  return { binding: binding(), holding: nothingHeld, gates: [], verdict: verdict('Closed'), ...changes };
}

/** Returns the report of an actuator about one target that it holds. */
export function report(changes: Partial<ActuatorReport> = {}): ActuatorReport {
  const hold = { kind: 'GitRepository' as const, name: 'shop', since: timestampOf(now), confirmed: true };
  return { holds: [hold], targetCount: 1, heldCount: 1, ...changes };
}
