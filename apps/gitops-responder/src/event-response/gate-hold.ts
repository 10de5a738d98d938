import type { ResponseRoute } from '@interlock/api';
import type { Hold, ObservedGate } from './observed.js';

/** Returns why the gate of a route holds its pull requests; undefined if it does not. Pure. */
export function gateHoldOf(
  { gateRef, onGateClosed }: ResponseRoute,
  gate: ObservedGate | undefined,
): Hold | undefined {
  if (gateRef === undefined || onGateClosed === 'Proceed' || gate?.open === true) return undefined;
  const { name } = gateRef;
  const message =
    gate === undefined ? `gate ${name} was not found` : `gate ${name} is closed: ${gate.reason}`;
  return { reason: gateClosed, message };
}

/** The reason of a hold because of a gate. */
export const gateClosed = 'GateClosed';
