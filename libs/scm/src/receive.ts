import { isTyped } from '@interlock/api';
import type { WebhookEvent, WebhookHeaders, WebhookReceiver } from './webhook.js';

/** Bound of the body of a delivery. */
export const maxWebhookBytes = 5 * 1024 * 1024;

/** Settings of the server that receives deliveries, but for its address and routes. */
export const webhookServer = { name: 'webhooks', maxBodyBytes: maxWebhookBytes } as const;

/** What an SCM has sent; nothing of it is to be trusted. */
export interface WebhookDelivery {
  headers: WebhookHeaders;
  body: Buffer;
}

/** An HTTP status code and a sentence. */
export interface WebhookAnswer {
  code: 200 | 202 | 400 | 401;
  message: string;
}

/** One answer for an unknown address, a missing signature and a wrong one, so that nobody learns which addresses exist. */
export const unverified: WebhookAnswer = {
  code: 401,
  message: 'the signature does not match a webhook of this address; check the address and the secret',
};

/** An event that has to be acted upon and the plugin that knows it; or the answer to a delivery that asks for nothing. */
export type ReceivedWebhook<P> = { plugin: P; event: WebhookEvent } | { answer: WebhookAnswer };

/**
 * Reads a delivery once it is known to be from who knows the secret. Pure, apart from the time by which a plugin verifies.
 *
 * @param plugins of what the secret is for; of several, the first that verifies the delivery reads it.
 * @param kinds of events that are acted upon.
 * @returns the event; or the answer: 401 when no plugin verifies it, 400 for what cannot be read, 200 for other events.
 */
export function receiveWebhook<P extends { webhook: WebhookReceiver }>(
  plugins: readonly P[],
  { headers, body }: WebhookDelivery,
  secret: string,
  kinds: readonly WebhookEvent['kind'][],
): ReceivedWebhook<P> {
  const plugin = plugins.find(({ webhook }) => webhook.verify(headers, body, secret));
  if (plugin === undefined) return { answer: unverified };
  try {
    const event = plugin.webhook.parse(headers, body);
    return kinds.includes(event.kind)
      ? { plugin, event }
      : { answer: { code: 200, message: 'nothing to do' } };
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    return { answer: { code: 400, message: error.message } };
  }
}
