import { EventResponse, keyOf, SecurityEvent, type KubeObject } from '@interlock/api';
import { secretNameOf } from '../config/provider.js';
import { actOnResponse } from './act.js';
import { isClaimed, isPending } from './claim.js';
import { concludeResponse } from './conclude.js';
import { decide } from './decide.js';
import { destinationOf } from './destination.js';
import { observeResponse } from './observe.js';
import { announcedConditions, countResponseChanges } from './report.js';
import type { Responder } from './responder.js';

/** EventResponses by the name of their event. */
const eventIndex = 'event';

/** Adds the reconciler that turns EventResponses into pull requests. */
export function addEventResponseReconciler(responder: Responder): void {
  const { manager, responses, store, credentials, gates, metrics, responderName } = responder;
  const isOurs = (response: EventResponse): boolean => isClaimed(response, responderName);
  responses.addIndex(eventIndex, ({ spec }) => [spec.securityEventRef?.name ?? '']);
  const handle = manager.addReconciler({
    name: 'event-response',
    statusMode: 'replace',
    transitions: { action: 'Respond', of: announcedConditions },
    for: { kind: EventResponse, cache: responder.responseCache, predicate: ({ object }) => isOurs(object) },
    watches: [
      {
        kind: SecurityEvent,
        /* A response that has ended is not affected by changes of its event. */
        map: (event: KubeObject) =>
          responses
            .byIndex(eventIndex, event.metadata.name)
            .filter((response) => isOurs(response) && isPending(response))
            .map(keyOf),
      },
    ],
    /* Responses are cluster-scoped: a burst for one repository must not delay the others. */
    external: {
      hostOf: ({ name }) => destinationOf(responder, name)?.host,
      tenantOf: ({ name }) => destinationOf(responder, name)?.repository,
    },
    observe: (response, { now }) => observeResponse(responder, response, now),
    decide,
    act: (decision, observed, context) => actOnResponse(responder, decision, observed, context),
    conclude: concludeResponse,
    written: ({ before, after }) => countResponseChanges(metrics, before, after, manager.clock.now()),
  });
  const again = (concerns: (response: EventResponse) => boolean): void => {
    for (const response of responses.list()) {
      if (isOurs(response) && isPending(response) && concerns(response)) handle.enqueue(keyOf(response));
    }
  };
  store.onChange(() => again(() => true));
  gates.onKnown(() => again(() => true));
  gates.onChange(() => again(({ status }) => status?.stage === 'AwaitingGate'));
  credentials.onChange((name) => {
    if (store.routes.some(({ provider }) => secretNameOf(provider) === name))
      again(({ status }) => status?.error?.type === 'Unauthorized');
  });
}
