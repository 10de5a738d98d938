import { EventResponse, keyOf, SecurityEvent, type KubeObject, type ObjectKey } from '@interlock/api';
import type { ReconcileContext, ReconcileResult } from '@interlock/kube';
import { hostOf } from '@interlock/responding';
import { secretNameOf } from '../config/provider.js';
import { isClaimed, isPending } from './claim.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import { closeRequest, followRequest } from './pull-request.js';
import type { Responder } from './responder.js';
import { runAttempt } from './run-attempt.js';

/** EventResponses by the name of their event. */
const eventIndex = 'event';

/** Adds the controller that turns EventResponses into pull requests. */
export function addEventResponseController(responder: Responder): void {
  const { manager, responses, store, credentials, gates, responderName } = responder;
  responses.addIndex(eventIndex, ({ spec }) => [spec.securityEventRef?.name ?? '']);
  const handle = manager.addController({
    name: 'event-response',
    for: { kind: EventResponse },
    watches: [
      {
        kind: SecurityEvent,
        /* Whatever becomes of the event, a response that has come to its end keeps it. */
        map: (event: KubeObject) =>
          responses.byIndex(eventIndex, event.metadata.name).filter(isPending).map(keyOf),
      },
    ],
    external: { hostOf: (key) => hostOfResponse(responses.get(key)) },
    reconcile: (key, context) => reconcile(responder, key, context),
  });
  const again = (concerns: (response: EventResponse) => boolean): void => {
    for (const response of responses.list()) {
      if (isClaimed(response, responderName) && isPending(response) && concerns(response)) {
        handle.enqueue(keyOf(response));
      }
    }
  };
  store.onChange(() => again(() => true));
  gates.onChange(() => again(({ status }) => status?.stage === 'AwaitingGate'));
  credentials.onChange((name) => {
    const routes = store.inUse?.routing.routes ?? [];
    if (routes.some(({ provider }) => secretNameOf(provider) === name)) {
      again(({ status }) => status?.error?.type === 'Unauthorized');
    }
  });
}

/** Returns the host of the repository that a response was routed to; undefined: it was not routed yet. */
function hostOfResponse(response: EventResponse | undefined): string | undefined {
  const route = response?.status?.route;
  return route && hostOf({ kind: route.provider, host: route.host });
}

async function reconcile(
  responder: Responder,
  key: ObjectKey,
  context: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const response = responder.responses.get(key);
  if (response === undefined || response.metadata.deletionTimestamp !== undefined) return undefined;
  if (!isClaimed(response, responder.responderName)) return undefined;
  const observation = observe(responder, response, context.now);
  const decision = decide(observation.observed, context.now);
  switch (decision.type) {
    case 'none':
      return undefined;
    case 'wait': {
      await responder.writer.write(response, decision.status, context.signal);
      const { requeueAfterMs } = decision;
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    }
    case 'finish':
      await responder.writer.write(response, decision.status, context.signal);
      return undefined;
    case 'attempt':
      return runAttempt(responder, observation, decision, context);
    case 'follow':
      return followRequest(responder, response, decision.everyMs, context);
    case 'close':
      return closeRequest(responder, response, context);
  }
}
