import { isTyped } from '@interlock/api';
import { delay, onAbort, stopwatch, type Clock } from '@interlock/base';
import type { Dispatcher } from 'undici';
import {
  ApiError,
  errorOfNetwork,
  errorOfSize,
  errorOfStatus,
  errorOfTimeout,
  malformed,
  type RequestLine,
} from './api-error.js';
import type { ClockSkew } from './clock-skew.js';
import type { ClientMetrics } from './metrics.js';
import { retryDelayMs } from './retry.js';
import type { HttpRequest, Lane, Transport } from './transport.js';
import type { CallOptions } from './types.js';

export interface Call {
  method: Dispatcher.HttpMethod;
  /** Path with the query. */
  path: string;
  body?: unknown;
  /** Content type of the body; default: `application/json`. */
  contentType?: string | undefined;
  /** Default: `application/json`. */
  accept?: string | undefined;
  /** Format of the body of the answer; default: JSON. */
  as?: 'text' | undefined;
  /** Maximum size of the answer. Default: 256 MiB. */
  maxBytes?: number | undefined;
  /** Whether the request may be repeated although the server may have carried it out. */
  idempotent: boolean;
}

interface CallerDependencies {
  transport: Transport;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  metrics: ClientMetrics;
  clockSkew?: ClockSkew | undefined;
  userAgent: string;
  /** Headers for each request, such as `traceparent`. */
  requestHeaders: () => Record<string, string | string[]>;
}

const maxBodyBytes = 256 * 1024 * 1024;

/** Sends requests, and returns the decoded answer or throws an `ApiError`. */
export class Caller {
  readonly #dependencies: CallerDependencies;

  constructor(dependencies: CallerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the decoded body. Repeatable requests are repeated within the time limit of the call. */
  call(call: Call, options: CallOptions, timeoutMs: number): Promise<unknown> {
    return this.#within(call, options, timeoutMs, async (signal, line) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(options.lane ?? 'call', call, line, signal);
        } catch (error) {
          if (signal.aborted || !(error instanceof ApiError)) throw error;
          const waitMs = retryDelayMs(error, attempt, call.idempotent, this.#dependencies.random);
          if (waitMs === undefined) throw error;
          await delay(this.#dependencies.clock, waitMs, signal);
          if (signal.aborted || options.mayRepeat?.() === false) throw error;
        }
      }
    });
  }

  /**
   * Opens a stream; never repeats the request. The time limit applies until the head of the answer; `end` removes the
   * listener of the signal.
   */
  async open(call: Call, options: CallOptions, timeoutMs: number): Promise<OpenStream> {
    const abort = new AbortController();
    const end = options.signal === undefined ? () => undefined : onAbort(options.signal, () => abort.abort());
    try {
      const body = await this.#within(call, options, timeoutMs, async (signal, line) => {
        const release = onAbort(signal, () => abort.abort());
        try {
          return await this.#exchange('watch', call, line, abort.signal, (response) => response.body);
        } finally {
          release();
        }
      });
      return { body, line: lineOf(call), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Runs `work` under the caller's signal and a time limit, and reports which of them ended it. */
  async #within<R>(
    call: Call,
    options: CallOptions,
    defaultTimeoutMs: number,
    work: (signal: AbortSignal, line: RequestLine) => Promise<R>,
  ): Promise<R> {
    const { signal } = options;
    const { closed } = this.#dependencies.transport;
    signal?.throwIfAborted();
    closed.throwIfAborted();
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const abort = new AbortController();
    const line = lineOf(call);
    let timedOut = false;
    const timer = this.#dependencies.clock.setTimeout(() => {
      timedOut = true;
      abort.abort();
    }, timeoutMs);
    const releases = [signal, closed].map((ending) => ending && onAbort(ending, () => abort.abort()));
    try {
      return await work(abort.signal, line);
    } catch (error) {
      signal?.throwIfAborted();
      closed.throwIfAborted();
      /* If a repeat was pending when the time was up, the failure before it is more informative than a timeout. */
      if (timedOut && !(error instanceof ApiError && error.code !== 0)) throw errorOfTimeout(line, timeoutMs);
      throw error;
    } finally {
      timer.cancel();
      for (const release of releases) release?.();
    }
  }

  #attempt(lane: Lane, call: Call, line: RequestLine, signal: AbortSignal): Promise<unknown> {
    return this.#exchange(lane, call, line, signal, async (response) => {
      const text = await readText(response, line, call.maxBytes);
      return call.as === 'text' ? text : decode(line, text);
    });
  }

  async #exchange<R>(
    lane: Lane,
    call: Call,
    line: RequestLine,
    signal: AbortSignal,
    read: (response: Dispatcher.ResponseData) => R | Promise<R>,
  ): Promise<R> {
    const { transport, clock, metrics, clockSkew } = this.#dependencies;
    const [seconds, sentAt] = [stopwatch(clock), clock.now()];
    let code = '<error>';
    try {
      const response = await transport.send(lane, this.#request(call), signal);
      code = String(response.statusCode);
      clockSkew?.observe(response.headers['date'], sentAt, clock.now());
      if (response.statusCode >= 200 && response.statusCode < 300) return await read(response);
      const text = await readText(response, line);
      const retryAfter = response.headers['retry-after'];
      throw errorOfStatus(
        line,
        response.statusCode,
        decodeLeniently(text),
        typeof retryAfter === 'string' ? retryAfter : undefined,
      );
    } catch (error) {
      throw isTyped(error) ? error : errorOfNetwork(line, error);
    } finally {
      metrics.requested(call.method, transport.host, code, seconds());
    }
  }

  #request(call: Call): HttpRequest {
    const { userAgent, requestHeaders } = this.#dependencies;
    const headers: HttpRequest['headers'] = {
      ...requestHeaders(),
      accept: call.accept ?? 'application/json',
      /* Without it, any proxy may compress the answer (RFC 9110, section 12.5.3), which this client does not decode. */
      'accept-encoding': 'identity',
      'user-agent': userAgent,
    };
    if (call.body === undefined) return { method: call.method, path: call.path, headers };
    headers['content-type'] = call.contentType ?? 'application/json';
    return { method: call.method, path: call.path, headers, body: JSON.stringify(call.body) };
  }
}

interface OpenStream {
  body: AsyncIterable<Uint8Array>;
  line: RequestLine;
  end: () => void;
}

function lineOf(call: Call): RequestLine {
  return { method: call.method, path: call.path.split('?', 1)[0] ?? call.path };
}

async function readText(
  response: Dispatcher.ResponseData,
  line: RequestLine,
  maxBytes = maxBodyBytes,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw errorOfSize(line, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function decode(line: RequestLine, text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(line, 'the answer is not JSON');
  }
}

function decodeLeniently(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
