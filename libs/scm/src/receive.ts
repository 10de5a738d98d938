import { isTyped } from '@interlock/api';
import type { WebhookEvent, WebhookHeaders, WebhookReceiver } from './webhook.js';

/** Maximum size of the body of a delivery, in bytes. */
export const maxWebhookBytes = 5 * 1024 * 1024;

/** Settings of the server that receives deliveries, except for its address and routes. */
export const webhookServer = { name: 'webhooks', maxBodyBytes: maxWebhookBytes } as const;

/** A delivery of an SCM, which is not trusted. */
export interface WebhookDelivery {
  headers: WebhookHeaders;
  body: Buffer;
}

/** An HTTP status code and a sentence. */
export interface WebhookAnswer {
  code: 200 | 202 | 400 | 401;
  message: string;
}

/**
 * The response for an unknown address, a missing signature and a wrong signature. It is the same, so that clients
 * cannot find out which addresses exist.
 */
export const unverified: WebhookAnswer = {
  code: 401,
  message: 'the signature does not match a webhook of this address; check the address and the secret',
};

/** An event to handle and its plugin, or the response to a delivery without one. */
export type ReceivedWebhook<P> = { plugin: P; event: WebhookEvent } | { answer: WebhookAnswer };

/**
 * Reads a delivery after its signature was verified. Pure, apart from the time that a plugin uses for verification.
 *
 * @param plugins the plugins that the secret belongs to; the first one that verifies the delivery reads it.
 * @param kinds the kinds of events that are acted upon.
 * @returns the event; or the response: 401 if no plugin verifies it, 400 if it is malformed, 200 for other events.
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
