import { Pool, type Dispatcher } from 'undici';
import type { Connect, ConnectedSocket } from './connector.js';
import type { AnswerHeaders, Exchange } from './exchange.js';
import type { OriginTransport } from './origin-transport.js';

/** HTTP/1.1 to one origin: a connection for each call under way. */
export class Http1Origin implements OriginTransport {
  readonly #pool: Pool;
  #spare: ConnectedSocket | undefined;
  #active = 0;

  /** @param spare a connection that is open already */
  constructor(url: URL, connect: Connect, spare: ConnectedSocket | undefined) {
    this.#spare = spare;
    this.#pool = new Pool(url.origin, {
      connections: null,
      pipelining: 1,
      /* The deadline of each call bounds these. */
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        const ready = this.#takeSpare();
        if (ready !== undefined) {
          callback(null, ready);
          return;
        }
        connect(url, ['http/1.1']).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error instanceof Error ? error : new Error('cannot connect'), null),
        );
      },
    });
  }

  get isIdle(): boolean {
    return this.#active === 0;
  }

  start(exchange: Exchange): void {
    if (exchange.isSettled) return;
    const { method, url, headers, body } = exchange.call;
    this.#active += 1;
    const handler = new CallHandler(exchange, () => (this.#active -= 1));
    const path = url.pathname + url.search;
    this.#pool.dispatch({ method, path, headers, body: body ?? null, idempotent: false }, handler);
  }

  async close(): Promise<void> {
    this.#takeSpare()?.destroy();
    await this.#pool.destroy();
  }

  #takeSpare(): ConnectedSocket | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare?.destroyed === true ? undefined : spare;
  }
}

/** Carries what undici reports to the exchange. */
class CallHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #done: () => void;
  #isSent = false;

  constructor(exchange: Exchange, done: () => void) {
    this.#exchange = exchange;
    this.#done = done;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isSent = true;
    this.#exchange.attach((error) => controller.abort(error));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status >= 200) this.#exchange.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#exchange.data(chunk);
  }

  onResponseEnd(): void {
    this.#done();
    this.#exchange.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#done();
    if (this.#isSent) this.#exchange.lost(error);
    else this.#exchange.fail(this.#exchange.connectFailure(error));
  }
}
