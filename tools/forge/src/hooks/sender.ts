import { Agent, request } from 'undici';
import { timestamp, type WallClock } from '../clock.js';
import type { Hook } from '../domain/model.js';
import type { Attempt, Delivery } from './delivery.js';
import { isLoopback } from './loopback.js';
import type { HookProtocols } from './hook-protocol.js';

const timeoutMs = 10_000;
const maxResponseText = 1_000;

/** Sends each delivery once, signed, without following redirects, and only to the loopback interface. */
export class Sender {
  readonly #agent = new Agent({ connections: 4, keepAliveTimeout: 1_000 });

  constructor(
    readonly clock: WallClock,
    readonly protocols: HookProtocols,
  ) {}

  /** Returns the result, which can be a failure. */
  async send(hook: Hook, delivery: Delivery, signal: AbortSignal): Promise<Attempt> {
    const body = bodyOf(hook, delivery);
    const requestHeaders = {
      accept: '*/*',
      'content-type': hook.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...this.protocols[hook.protocol].headers(hook, delivery, body, this.clock.now()),
    };
    const started = this.clock.now();
    const end = (rest: Pick<Attempt, 'statusCode' | 'failure'>, responseBody = ''): Attempt => ({
      at: timestamp(this.clock),
      durationMs: this.clock.now() - started,
      requestHeaders,
      responseBody,
      ...rest,
    });
    if (!isLoopback(hook.url)) return end({ failure: 'the URL is not on the loopback interface' });
    /* In Node.js 20, an `AbortSignal.timeout` that is only a source would be garbage-collected with its timer. */
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    try {
      const response = await request(hook.url, {
        method: 'POST',
        headers: requestHeaders,
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.any([signal, late.signal]),
      });
      const text = (await response.body.text()).slice(0, maxResponseText);
      const { statusCode } = response;
      const good = statusCode >= 200 && statusCode < 300;
      return end(good ? { statusCode } : { statusCode, failure: `HTTP ${statusCode}` }, text);
    } catch (error) {
      return end({ failure: reasonOf(error) });
    } finally {
      clearTimeout(timer);
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

function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : 'no answer';
}
