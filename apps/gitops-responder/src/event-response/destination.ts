import type { EventResponse, SecurityEvent } from '@interlock/api';
import { hostOf, route } from '@interlock/responding';
import type { Cache } from '@interlock/kube';
import { addressOf } from '../config/repositories.js';
import type { ConfigStore } from '../config/store.js';
import { isClaimed } from './claim.js';

interface DestinationSources {
  responses: Pick<Cache<EventResponse>, 'get'>;
  securityEvents: Pick<Cache<SecurityEvent>, 'get'>;
  store: Pick<ConfigStore, 'inUse'>;
  responderName: string;
}

interface Destination {
  host: string | undefined;
  /** Identifies the repository on all hosts. */
  repository: string;
}

/**
 * Returns where the reconcile of a response makes its calls, from memory: the recorded repository, or else the one of the
 * route that the response is about to take. Undefined if it makes none.
 */
export function destinationOf(
  { responses, securityEvents, store, responderName }: DestinationSources,
  name: string,
): Destination | undefined {
  const response = responses.get({ name });
  if (response === undefined || !isClaimed(response, responderName)) return undefined;
  const recorded = response.status?.route;
  if (recorded !== undefined) return destination(recorded.provider, recorded);
  const event = securityEvents.get({ name: response.spec.securityEventRef?.name ?? '' });
  const provider = store.inUse && route(store.inUse.routing, { response, event }).taken?.route.provider;
  return provider && destination(provider.kind, provider);
}

function destination(kind: string, at: { host?: string | undefined; repository: string }): Destination {
  return { host: hostOf({ kind, host: at.host }), repository: addressOf(kind, at) };
}
