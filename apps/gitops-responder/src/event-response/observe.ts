import type { EventResponse, SecurityEvent } from '@interlock/api';
import { Later } from '@interlock/kube';
import { missingEvent, route as routeOf, type TakenRoute } from '@interlock/responding';
import { secretNameOf } from '../config/provider.js';
import { recordedRoute } from '../config/recorded-route.js';
import { isPending } from './claim.js';
import { coolDownOf } from './limits.js';
import type { Observed } from './observed.js';
import type { Responder } from './responder.js';

/**
 * Observes a response, from caches alone; later, while the gate that it depends on is not known yet. `now` in milliseconds since
 * the epoch.
 */
export function observeResponse(
  responder: Responder,
  response: EventResponse,
  now: number,
): Observed | Later {
  const { responderName, configNamespace, maxAttempts, pollIntervalMs, store, gates, random } = responder;
  const { occupancy, duplicates } = responder;
  const { event, missingEvent: missing } = eventOf(responder, response);
  const config = store.inUse;
  const routing = config && routeOf(config.routing, { response, event });
  const taken = routing?.taken;
  const readingMs = taken && isPending(response) ? gates.readingMsOf(taken.route) : 0;
  if (readingMs > 0) return new Later(readingMs);
  const gate = taken && gates.of(taken.route, now);
  const route = config && taken && recordedRoute(taken, config);
  const { plan } = response.status ?? {};
  return {
    response,
    responderName,
    configNamespace,
    maxAttempts,
    followEveryMs: pollIntervalMs,
    random: random(),
    event,
    missingEvent: missing,
    config: config && routing && { name: config.name, generation: config.generation, routing },
    gate,
    credentialsChangedAt: credentialsChangedAt(responder, response, taken),
    openRequests: route && occupancy.others(response, route),
    duplicate:
      taken && route && plan && duplicates.holdOf(response, route, plan.digest, coolDownOf(taken.route), now),
  };
}

/** Returns when the credentials of the current or earlier route of a response last changed, in milliseconds since the epoch. */
function credentialsChangedAt(
  { credentials, repositories }: Responder,
  { status }: EventResponse,
  taken: TakenRoute | undefined,
): number {
  const before = status?.route && repositories.providerOf(status.route);
  const changes = [taken?.route.provider, before].map((provider) => {
    const secret = provider && secretNameOf(provider);
    return (secret !== undefined && credentials.changedAt(secret)) || 0;
  });
  return Math.max(...changes);
}

function eventOf(
  { securityEvents }: Responder,
  response: EventResponse,
): { event: SecurityEvent | undefined; missingEvent: string | undefined } {
  const { name = '' } = response.spec.securityEventRef ?? {};
  const event = name === '' ? undefined : securityEvents.get({ name });
  const missing = missingEvent(response, event);
  return { event: missing === undefined ? event : undefined, missingEvent: missing };
}
