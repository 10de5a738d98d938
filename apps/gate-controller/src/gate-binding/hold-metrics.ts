import { conditions, keyOf, type GateBinding, type GateBindingStatus, type GateHold } from '@interlock/api';
import { isTrue } from '@interlock/kube';
import type { GateMetrics } from '../metrics.js';

/**
 * Records the objects that a binding holds, and for how long released objects were held. `now` in milliseconds since
 * the epoch.
 */
export function recordHolds(
  metrics: GateMetrics,
  binding: GateBinding,
  status: GateBindingStatus,
  now: number,
): void {
  const skew = isTrue(status.conditions, conditions.gateSkew);
  metrics.binding(keyOf(binding), { held: status.heldCount ?? 0, skew });
  const still = new Set((status.holds ?? []).map(idOf));
  for (const hold of binding.status?.holds ?? []) {
    if (!still.has(idOf(hold)))
      metrics.held(binding.spec.mode, Math.max(0, now - Date.parse(hold.since)) / 1000);
  }
}

function idOf({ kind, namespace, name, environment, since }: GateHold): string {
  return JSON.stringify([kind, namespace, name, environment, since]);
}
