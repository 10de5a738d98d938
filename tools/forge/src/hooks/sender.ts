import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { timestamp, type Clock } from '../clock.js';
import type { Hook } from '../domain/model.js';
import type { Attempt, Delivery } from './delivery.js';
import { isLoopback } from './loopback.js';

const timeoutMs = 10_000;
const maxResponseText = 1_000;

/** Sends deliveries: once each, signed, without following redirects, to the loopback interface only. */
export class Sender {
  readonly #agent = new Agent({ connections: 4, keepAliveTimeout: 1_000 });

  constructor(readonly clock: Clock) {}

  /** @returns what came of it; a failure is a result too. */
  async send(hook: Hook, delivery: Delivery, signal: AbortSignal): Promise<Attempt> {
    const body = bodyOf(hook, delivery);
    const requestHeaders = headersOf(hook, delivery, body);
    const started = this.clock.now();
    const end = (rest: Pick<Attempt, 'statusCode' | 'failure'>, responseBody = ''): Attempt => ({
      at: timestamp(this.clock),
      durationMs: this.clock.now() - started,
      requestHeaders,
      responseBody,
      ...rest,
    });
    if (!isLoopback(hook.url)) return end({ failure: 'the URL is not on the loopback interface' });
    try {
      const response = await request(hook.url, {
        method: 'POST',
        headers: requestHeaders,
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = (await response.body.text()).slice(0, maxResponseText);
      const { statusCode } = response;
      const good = statusCode >= 200 && statusCode < 300;
      return end(good ? { statusCode } : { statusCode, failure: `HTTP ${statusCode}` }, text);
    } catch (error) {
      return end({ failure: reasonOf(error) });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function bodyOf({ contentType }: Hook, { payload }: Delivery): string {
  const json = JSON.stringify(payload);
  return contentType === 'json' ? json : new URLSearchParams({ payload: json }).toString();
}

/** GitHub, "Webhook events and payloads": delivery headers. */
function headersOf(hook: Hook, delivery: Delivery, body: string): Record<string, string> {
  const json = hook.contentType === 'json';
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, hook.secret).update(body).digest('hex')}`;
  return {
    accept: '*/*',
    'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
    'user-agent': 'GitHub-Hookshot/interlock',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(hook.id),
    'x-github-hook-installation-target-id': String(delivery.installation?.appId ?? delivery.repositoryId),
    'x-github-hook-installation-target-type': delivery.installation === null ? 'repository' : 'integration',
    ...(hook.secret === '' ? {} : { 'x-hub-signature': sign('sha1'), 'x-hub-signature-256': sign('sha256') }),
  };
}

function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : 'no answer';
}
