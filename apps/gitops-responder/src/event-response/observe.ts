import type { EventResponse, SecurityEvent } from '@interlock/api';
import { missingEvent, route as routeOf, type ProposalFacts, type TakenRoute } from '@interlock/responding';
import { recordedRoute } from '../config/recorded-route.js';
import { secretNameOf } from '../config/provider.js';
import type { Observed } from './observed.js';
import type { Responder } from './responder.js';
import { coolDownOf } from './limits.js';

/** What is decided by, and what an attempt needs beside it. */
export interface Observation {
  observed: Observed;
  event: SecurityEvent | undefined;
  taken: TakenRoute | undefined;
  gate: ProposalFacts['gate'];
}

/** @returns what is known about a response, from caches alone. */
export function observe(responder: Responder, response: EventResponse, now: number): Observation {
  const { responderName, maxAttempts, pollIntervalMs, store, gates } = responder;
  const { credentials, repositories, occupancy, duplicates } = responder;
  const found = eventOf(responder, response);
  const { event } = found;
  const config = store.inUse;
  const routing = config && routeOf(config.routing, { response, event });
  const taken = routing?.taken;
  const gate = taken && gates.of(taken.route, now);
  const { route: recorded } = response.status ?? {};
  const before = recorded && repositories.providerOf(recorded);
  const changes = [taken?.route.provider, before].map((provider) => {
    const secret = provider && secretNameOf(provider);
    return (secret !== undefined && credentials.changedAt(secret)) || 0;
  });
  const observed: Observed = {
    response,
    responderName,
    maxAttempts,
    followEveryMs: pollIntervalMs,
    missingEvent: found.missingEvent,
    ...(config && routing && { config: { name: config.name, generation: config.generation, routing } }),
    ...(gate && { gate }),
    credentialsChangedAt: Math.max(...changes),
  };
  if (config === undefined || taken === undefined) return { observed, event, taken, gate: undefined };
  const route = recordedRoute(taken, config);
  const { plan } = response.status ?? {};
  observed.openRequests = occupancy.others(response, route);
  if (plan !== undefined)
    observed.duplicate = duplicates.holdOf(response, route, plan.digest, coolDownOf(taken.route), now);
  return { observed, event, taken, gate: gate ?? missingGate(responder, taken) };
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

/** A gate that the route names and that is not there is closed, for templates too. */
function missingGate({ gates }: Responder, taken: TakenRoute | undefined): ProposalFacts['gate'] {
  const key = taken && gates.keyOf(taken.route);
  return key && { ...key, open: false, reason: 'the gate is not found' };
}
