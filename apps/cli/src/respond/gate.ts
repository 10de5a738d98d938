import { Gate, type ResponseRoute } from '@interlock/api';
import { believedState } from '@interlock/gating';
import type { Objects } from '../manifest/objects.js';
import type { GateView } from './explanation.js';

/**
 * Returns the gate of a route as a reader evaluates it; a missing gate is closed. Undefined if the route has no gate,
 * or if only files are read and none of them contains the gate.
 *
 * @param namespace namespace of the configuration
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
      : { ...key, onClosed, open: false, reason: 'the Gate was not found', isFound: false };
  const { state, message } = believedState(gate, now);
  return { ...key, onClosed, open: state === 'Open', reason: message, isFound: true };
}
