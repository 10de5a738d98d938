import { Gate, GateOverride, timestampOf, typeMeta } from '@interlock/api';
import type { ObservedOverride } from '../observed.js';

export const minute = 60_000;
export const hour = 60 * minute;
export const now = Date.UTC(2030, 6, 1, 12);

/** Returns the time a number of milliseconds from now, as RFC 3339. */
export function at(ms: number): string {
  return timestampOf(now + ms);
}

/** Returns a gate. */
export function door(closed = true): Gate {
  return {
    ...typeMeta(Gate),
    metadata: { name: 'door', namespace: 'team' },
    spec: { closed, maxOverride: '1h', failurePolicy: 'Closed' },
  };
}

/**
 * Returns an override that opens the gate.
 *
 * @param madeMs when it was created; milliseconds from now
 */
export function visit(spec: Partial<GateOverride['spec']> = {}, madeMs = 0): GateOverride {
  return {
    ...typeMeta(GateOverride),
    metadata: {
      name: 'visit',
      namespace: 'team',
      uid: 'visit',
      generation: 1,
      creationTimestamp: at(madeMs),
    },
    spec: {
      gateRef: { name: 'door' },
      effect: 'Open',
      reason: 'because',
      once: false,
      duration: '30m',
      ...spec,
    },
  };
}

/** Returns the observation of an override of a closed gate. */
export function observed(override: GateOverride): ObservedOverride {
  return { override, gate: door(), overrides: [override] };
}
