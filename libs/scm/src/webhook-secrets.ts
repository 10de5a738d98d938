import { isTyped } from '@interlock/api';
import { LRUCache } from 'lru-cache';
import { receiveWebhook, type ReceivedWebhook, type WebhookDelivery } from './receive.js';
import type { WebhookEvent, WebhookReceiver } from './webhook.js';

/** The longest time for which a replaced secret is still accepted. */
const longestAgeMs = 15_000;
/** The shortest time between two reads of a secret for deliveries that do not match. */
const shortestAgeMs = 1_000;
const maxSecrets = 1_000;
/** Reasons for which a delivery cannot be verified, so that all deliveries are refused. */
const withoutSecret: readonly string[] = ['SecretNotFound', 'SecretTypeNotAllowed'];

interface Known {
  /** When the read began, by the clock. */
  at: number;
  secret: Promise<string>;
}

/** The data for verifying a delivery. */
export interface DeliveryCheck<P> {
  /** Identifies the secret for the lifetime of the process. */
  id: string;
  plugins: readonly P[];
  kinds: readonly WebhookEvent['kind'][];
  /**
   * Returns the secret from the API server. If there is none, returns an empty text, or rejects with the reason
   * `SecretNotFound` or `SecretTypeNotAllowed`.
   */
  read: () => Promise<string>;
}

/** The secrets of webhooks, kept for a few seconds: a flood of deliveries reads each secret at most once a second. */
export class WebhookSecrets {
  readonly #known = new LRUCache<string, Known>({ max: maxSecrets });
  readonly #now: () => number;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Reads a delivery as {@link receiveWebhook} does; a delivery that does not match is verified again with a newer
   * secret.
   */
  async receive<P extends { webhook: WebhookReceiver }>(
    { id, plugins, kinds, read }: DeliveryCheck<P>,
    delivery: WebhookDelivery,
  ): Promise<ReceivedWebhook<P>> {
    const secret = await this.#get(id, longestAgeMs, read);
    const received = receiveWebhook(plugins, delivery, secret, kinds);
    if (!('answer' in received) || received.answer.code !== 401) return received;
    const newer = await this.#get(id, shortestAgeMs, read);
    return newer === secret ? received : receiveWebhook(plugins, delivery, newer, kinds);
  }

  #get(id: string, maxAgeMs: number, read: () => Promise<string>): Promise<string> {
    const known = this.#known.get(id);
    if (known !== undefined && this.#now() - known.at < maxAgeMs) return known.secret;
    const reading: Known = { at: this.#now(), secret: readSecret(read) };
    this.#known.set(id, reading);
    reading.secret.catch(() => {
      if (this.#known.peek(id) === reading) this.#known.delete(id);
    });
    return reading.secret;
  }
}

/**
 * Reads a secret; empty when there is none, so that the response does not differ from the response for an unknown
 * provider.
 */
async function readSecret(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (isTyped(error) && withoutSecret.includes(error.reason)) return '';
    throw error;
  }
}
