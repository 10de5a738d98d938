import { isTyped, TypedError } from '@interlock/api';
import { abortReason, type StopSignal } from '@interlock/base';
import { createConnector, type ConnectorOptions } from './connector.js';
import { Exchange, type CallHandler, type CallUrl, type HttpCall } from './exchange.js';
import { Http1Origin } from './http1-origin.js';
import { Http2Origin, offeredProtocols, speaksHttp2 } from './http2-origin.js';
import type { OriginTransport } from './origin-transport.js';
import { Timeouts } from './timeouts.js';

/** Makes calls; does not follow redirects. */
export interface HttpClient {
  /**
   * Starts a call. `handler` receives the answer, whatever its status is, or the error: a TypedError `Transient` with the reason
   * `ConnectFailed` when the call cannot have reached the server, `AnswerLost`, `StaleConnection` or `Timeout` when it may have; `Invalid` with the
   * reason `AnswerTooLarge`; the reason of the signal when it aborts. There is no promise: that of a held poll would take as much
   * memory as the rest of the call.
   */
  start(call: HttpCall, handler: CallHandler, signal?: StopSignal): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

const maxOrigins = 256;

/** Creates the client for all hosts. It opens few connections to an origin that offers HTTP/2, and otherwise one for each call. */
export function createHttpClient(options: ConnectorOptions = {}): HttpClient {
  return new OriginClient(options);
}

class OriginClient implements HttpClient {
  readonly #connect;
  readonly #timeouts = new Timeouts();
  readonly #origins = new Map<string, Promise<OriginTransport>>();
  readonly #ready = new Map<string, OriginTransport>();
  #isClosed = false;

  constructor(options: ConnectorOptions) {
    this.#connect = createConnector(options);
  }

  start(call: HttpCall, handler: CallHandler, signal?: StopSignal): void {
    if (signal?.aborted === true) return handler.failed(abortReason(signal));
    if (this.#isClosed) return handler.failed(new TypedError('Permanent', 'the HTTP client is closed'));
    const exchange = new Exchange(call, handler, this.#timeouts, signal);
    const transport = this.#ready.get(call.url.origin);
    if (transport === undefined) void this.#startLater(exchange);
    else transport.start(exchange);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const origins = [...this.#origins.values()];
    this.#origins.clear();
    this.#ready.clear();
    await Promise.allSettled(origins.map(async (origin) => (await origin).close()));
  }

  async #startLater(exchange: Exchange): Promise<void> {
    try {
      (await this.#open(exchange.call.url)).start(exchange);
    } catch (error) {
      exchange.fail(isTyped(error) ? error : exchange.connectFailure(error));
    }
  }

  #open(url: CallUrl): Promise<OriginTransport> {
    const { origin } = url;
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    this.#evict();
    const opening = this.#probe(new URL(origin));
    this.#origins.set(origin, opening);
    opening.then(
      (transport) => {
        if (this.#isClosed) void transport.close();
        else this.#ready.set(origin, transport);
      },
      /* The next call retries. */
      () => this.#origins.delete(origin),
    );
    return opening;
  }

  /** Opens the first connection, and returns a transport of the protocol that the server chose, which uses that connection. */
  async #probe(url: URL): Promise<OriginTransport> {
    if (url.protocol === 'http:') return new Http1Origin(url, this.#connect, undefined);
    const first = await this.#connect(url, offeredProtocols);
    return speaksHttp2(first)
      ? new Http2Origin(url, this.#connect, first, () => this.#forget(url.origin))
      : new Http1Origin(url, this.#connect, first);
  }

  /** Forgets the protocol of an origin; the next call opens a first connection again. */
  #forget(origin: string): void {
    this.#ready.delete(origin);
    this.#origins.delete(origin);
  }

  #evict(): void {
    if (this.#origins.size < maxOrigins) return;
    for (const [origin, transport] of this.#ready) {
      if (!transport.isIdle) continue;
      this.#forget(origin);
      void transport.close();
      return;
    }
  }
}
