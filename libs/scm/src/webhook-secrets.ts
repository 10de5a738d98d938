import { isTyped } from '@interlock/api';
import { LRUCache } from 'lru-cache';
import { receiveWebhook, type ReceivedWebhook, type WebhookDelivery } from './receive.js';
import type { WebhookEvent, WebhookReceiver } from './webhook.js';

/** A secret that is replaced counts no longer than this. */
const longestAgeMs = 15_000;
/** A delivery that does not match has the secret read again, but not more often than this. */
const shortestAgeMs = 1_000;
const maxSecrets = 1_000;
/** Reasons for which there is no secret to check a delivery with; all deliveries are refused then. */
const withoutSecret: readonly string[] = ['SecretNotFound', 'SecretTypeNotAllowed'];

interface Known {
  /** When the reading began, by the clock. */
  at: number;
  secret: Promise<string>;
}

/** What a delivery is checked with. */
export interface DeliveryCheck<P> {
  /** Of the secret: names it for as long as the process runs. */
  id: string;
  plugins: readonly P[];
  kinds: readonly WebhookEvent['kind'][];
  /** Reads the secret from the API server; empty, or an error with a reason that says so: there is none. */
  read: () => Promise<string>;
}

/** The secrets of webhooks, for some seconds: a flood of deliveries reads each once a second at most. */
export class WebhookSecrets {
  readonly #known = new LRUCache<string, Known>({ max: maxSecrets });
  readonly #now: () => number;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reads a delivery as {@link receiveWebhook} does; one that does not match is checked again with a newer secret. */
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

/** Reads a secret; empty when there is none, so that the answer does not differ from that of an unknown provider. */
async function readSecret(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (isTyped(error) && withoutSecret.includes(error.reason)) return '';
    throw error;
  }
}
