import { annotations, EventResponse, ifFound, keyOf, type ResponseProvider } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { Client } from '@interlock/kube';
import {
  carriesSignature,
  unverified,
  type ScmRegistry,
  type WebhookAnswer,
  type WebhookDelivery,
  type WebhookReceiver,
  type WebhookSecrets,
} from '@interlock/scm';
import type { Credentials } from '../config/credentials.js';
import { secretNameOf, sectionsOf, webhookSecretOf } from '../config/provider.js';
import type { ConfigStore } from '../config/store.js';
import type { OpenRequests } from './open-requests.js';

interface WebhookRequest extends WebhookDelivery {
  /** Name of a Secret. */
  secret: string;
}

export interface WebhookDependencies {
  client: Client;
  registry: Pick<ScmRegistry, 'forProvider' | 'webhooks'>;
  store: ConfigStore;
  credentials: Pick<Credentials, 'read'>;
  requests: OpenRequests;
  secrets: WebhookSecrets;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Logger;
}

/**
 * Handles a webhook of an SCM: patches the annotation that makes the leader read a pull request, on each response whose open pull
 * request the event concerns. Any replica can therefore accept it, and a replay is harmless.
 */
export async function handleWebhook(
  deps: WebhookDependencies,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const senders = sendersOf(deps, request);
  if (senders.length === 0) return unverified;
  const received = await deps.secrets.receive(
    {
      id: request.secret,
      plugins: senders,
      kinds: ['pullRequest'],
      read: async () => webhookSecretOf(await deps.credentials.read(request.secret)),
    },
    request,
  );
  if ('answer' in received) return received.answer;
  const { plugin: sender, event } = received;
  const { pullRequest, delivery } = event;
  if (pullRequest === undefined) return { code: 200, message: 'nothing to do' };
  const concerned = sender.providers
    .filter((provider) => sender.webhook.concerns(event, sectionsOf(provider).repository))
    .flatMap((provider) => deps.requests.find(provider, pullRequest));
  /* Several routes may name one repository. */
  const responses = new Set(concerned);
  await Promise.all([...responses].map((response) => requestPoll(deps, response)));
  deps.log.debug({ delivery, kind: event.kind, responses: responses.size }, 'webhook');
  return { code: 202, message: `${responses.size} responses` };
}

/** An SCM that may send webhooks with a Secret, and the repositories that they may concern. */
interface Sender {
  webhook: WebhookReceiver;
  providers: ResponseProvider[];
}

/** Returns the SCMs of the routes in use whose credential is in a Secret, and which may have signed a delivery. */
export function sendersOf(
  { registry, store }: Pick<WebhookDependencies, 'registry' | 'store'>,
  { secret: secretName, headers }: Omit<WebhookRequest, 'body'>,
): Sender[] {
  const senders = new Map<string, Sender>();
  for (const { provider } of store.routes) {
    if (provider.kind === 'noop' || secretNameOf(provider) !== secretName) continue;
    const { scm, server } = sectionsOf(provider);
    const { webhook } = registry.forProvider({ [scm]: server });
    const sender = senders.get(scm) ?? { webhook, providers: [] };
    sender.providers.push(provider);
    senders.set(scm, sender);
  }
  return [...senders.values()].filter(({ webhook }) => carriesSignature(webhook, headers));
}

async function requestPoll({ client, now }: WebhookDependencies, response: EventResponse): Promise<void> {
  const metadata = { annotations: { [annotations.responseRefreshedAt]: new Date(now()).toISOString() } };
  /* It may have been deleted in the meantime. */
  await ifFound(client.patch(EventResponse, keyOf(response), { type: 'merge', patch: { metadata } }));
}
