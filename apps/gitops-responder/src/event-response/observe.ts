import type { EventResponse, ResponseRoute, SecurityEvent } from '@interlock/api';
import { route as routeOf, type ProposalFacts } from '@interlock/responding';
import { secretNameOf } from '../config/provider.js';
import type { Observed } from './observed.js';
import type { Responder } from './responder.js';

/** What is decided by, and what an attempt needs beside it. */
export interface Observation {
  observed: Observed;
  event: SecurityEvent | undefined;
  taken: { index: number; route: ResponseRoute } | undefined;
  gate: ProposalFacts['gate'];
}

/** @returns what is known about a response, from caches alone. */
export function observe(responder: Responder, response: EventResponse, now: number): Observation {
  const { responderName, maxAttempts, pollIntervalMs, store, gates, credentials, occupancy } = responder;
  const { event, missingEvent } = eventOf(responder, response);
  const config = store.inUse;
  const routing = config && routeOf(config.routing, { response, event });
  const taken = routing?.taken;
  const gate = taken && gates.of(taken.route, now);
  const secret = taken && secretNameOf(taken.route.provider);
  const observed: Observed = {
    response,
    responderName,
    maxAttempts,
    followEveryMs: pollIntervalMs,
    missingEvent,
    ...(config && routing && { config: { name: config.name, routing } }),
    ...(gate && { gate }),
    ...(secret !== undefined && { credentialsChangedAt: credentials.changedAt(secret) }),
  };
  if (config !== undefined && taken?.route.limits?.maxOpenPRs !== undefined) {
    const { kind: provider, repository, baseBranch } = taken.route.provider;
    const recorded = { index: taken.index, config: config.name, provider, repository, baseBranch };
    observed.openRequests = occupancy.others(response, recorded);
  }
  return { observed, event, taken, gate };
}

function eventOf(
  { securityEvents }: Responder,
  { spec: { securityEventRef: ref } }: EventResponse,
): { event: SecurityEvent | undefined; missingEvent: string | undefined } {
  const none = { event: undefined, missingEvent: undefined };
  if (ref?.name === undefined || ref.name === '') return none;
  const event = securityEvents.get({ name: ref.name });
  if (event === undefined) return { ...none, missingEvent: `SecurityEvent ${ref.name} does not exist` };
  if (ref.uid === undefined || ref.uid === '' || ref.uid === event.metadata.uid) return { ...none, event };
  return {
    ...none,
    missingEvent: `SecurityEvent ${ref.name} is another one than that with uid ${ref.uid}`,
  };
}
