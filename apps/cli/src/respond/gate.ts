import { Gate, type ResponseRoute } from '@interlock/api';
import { believedState } from '@interlock/gating';
import type { Objects } from '../manifest/objects.js';
import type { GateView } from './explanation.js';

/**
 * @param namespace of the configuration.
 * @returns the gate of a route as a reader believes it; one that is not there is closed. Undefined when the route has
 *   none, or when only files are read and none of them has it.
 */
export async function gateOf(
  objects: Objects,
  { gateRef, onGateClosed: onClosed = 'Wait' }: ResponseRoute,
  namespace: string,
  now: number,
): Promise<GateView | undefined> {
  if (gateRef === undefined) return undefined;
  const key = { namespace: gateRef.namespace ?? namespace, name: gateRef.name };
  const gate = await objects.one(Gate, key);
  if (gate === undefined)
    return objects.isOffline
      ? undefined
      : { ...key, onClosed, open: false, reason: 'it is not found', isFound: false };
  const { state, message } = believedState(gate, now);
  return { ...key, onClosed, open: state === 'Open', reason: message, isFound: true };
}
