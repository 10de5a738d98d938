import type { EventResponse, Gate } from '@interlock/api';
import { isClaimed } from './event-response/claim.js';

/**
 * Returns what the cache keeps of a gate, which is its state. Each team can create any number of gates, with large annotations
 * and contributions. Pure.
 */
export function reduceGate({ apiVersion, kind, metadata, spec, status }: Gate): Gate {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { closed, maxOverride, failurePolicy } = spec;
  const { state, message, validUntil } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { closed, maxOverride, failurePolicy },
    status: { state, message, validUntil },
  };
}

/**
 * Returns the function that reduces a response before it is cached. Of a response that this responder does not handle, it keeps
 * what identifies it, and the change that another responder proposes. Pure.
 */
export function reduceResponse(responderName: string): (response: EventResponse) => EventResponse {
  return (response) => {
    const { managedFields: _, ...metadata } = response.metadata;
    if (isClaimed(response, responderName)) return { ...response, metadata };
    const { apiVersion, kind, spec, status } = response;
    const { annotations: __, ...identity } = metadata;
    const { phase, stage, route, plan, changeRequest, conditions, completedAt } = status ?? {};
    return {
      apiVersion,
      kind,
      metadata: identity,
      spec: { responder: { name: spec.responder.name }, action: { type: spec.action.type } },
      status: { phase, stage, route, plan, changeRequest, conditions, completedAt },
    };
  };
}
