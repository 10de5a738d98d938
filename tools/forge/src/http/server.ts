import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { WallClock } from '../clock.js';
import type { FaultRule, Faults } from '../faults.js';
import type { Journal, JournalEntry } from '../journal.js';
import type { Reply, Request } from './message.js';
import type { Protocol, Operation } from './operation.js';

interface ServerOptions {
  clock: WallClock;
  journal: Journal;
  faults: Faults;
  /** The protocols, in order of precedence. */
  protocols: readonly Protocol[];
  /** Called after every write, before the response. */
  saved: () => Promise<void>;
  /** Receives errors of the forge itself. */
  onError: (error: unknown) => void;
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * The HTTP server of the forge on the loopback interface. Selects the protocol, writes the journal, and injects faults.
 */
export class ForgeServer {
  readonly #server: Server;
  readonly #active = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #closed = new Promise<void>((resolve) => {
    this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
  });

  constructor(readonly options: ServerOptions) {
    this.#server = createServer((request, response) => {
      const served = this.#serve(request, response)
        .catch((error: unknown) => {
          if (!this.#closing.signal.aborted && !response.destroyed) options.onError(error);
          response.destroy();
        })
        .finally(() => this.#active.delete(served));
      this.#active.add(served);
    });
  }

  /** Listens on the loopback interface and returns the port. @param port 0 for a free port */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when no request is being served. Requests in progress are completed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await Promise.all(this.#active);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const request = readRequest(incoming, AbortSignal.any([gone.signal, this.#closing.signal]));
    const operation = await this.#find(request);
    if (operation === undefined) return this.#write(response, notFound);
    const { journal, faults } = this.options;
    const { run: _run, refuseForRate: _refuse, saves: _saves, ...described } = operation;
    const entry = journal.begin({ ...described, method: request.method, path: incoming.url ?? '/' });
    const fault = operation.api === 'control' ? undefined : faults.take(entry);
    if (fault !== undefined) entry.fault = fault.id;
    const reply = await this.#answer(operation, entry, fault?.rule ?? {}, request.signal);
    if (reply === undefined) {
      response.destroy();
      return;
    }
    journal.end(entry, reply.status);
    await this.#write(response, reply);
  }

  /** Returns undefined if the connection has to be dropped. */
  async #answer(
    operation: Operation,
    entry: JournalEntry,
    rule: FaultRule,
    signal: AbortSignal,
  ): Promise<Reply | undefined> {
    if (rule.cutAfterEffect !== true) await this.#hit(rule);
    if (rule.latencyMs !== undefined) await delay(rule.latencyMs, undefined, { signal });
    if (rule.cutBeforeResponse === true) return undefined;
    if (rule.status !== undefined) return faultReply(rule, rule.status);
    if (rule.rateLimit !== undefined) {
      const refused = operation.refuseForRate?.(rule.rateLimit, rule.retryAfterSeconds);
      return refused ?? { status: 429, headers: { 'retry-after': String(rule.retryAfterSeconds ?? 60) } };
    }
    const reply = await this.#run(operation, entry, signal);
    if (rule.cutAfterEffect !== true) return reply;
    if (reply.body instanceof Readable) await finished(reply.body.resume());
    await this.#hit(rule);
    return undefined;
  }

  /** Waits for a function of a test, at most until the forge closes. */
  async #hit({ onHit }: FaultRule): Promise<void> {
    if (onHit !== undefined) await Promise.race([onHit(), this.#closed]);
  }

  /** Runs an operation. An error of the forge is reported to its owner, and the client receives no details. */
  async #run(operation: Operation, entry: JournalEntry, signal: AbortSignal): Promise<Reply> {
    try {
      return await operation.run(entry);
    } catch (error) {
      if (signal.aborted) throw error;
      this.options.onError(error);
      return { status: 500, headers: plain, body: 'Internal server error\n' };
    } finally {
      if (operation.saves ?? operation.kind === 'write') await this.options.saved();
    }
  }

  async #find(request: Request): Promise<Operation | undefined> {
    for (const protocol of this.options.protocols) {
      const operation = await protocol.operation(request);
      if (operation !== undefined) return operation;
    }
    return undefined;
  }

  async #write(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
    response.writeHead(status, { ...headers, date: new Date(this.options.clock.now()).toUTCString() });
    if (body instanceof Readable) await pipeline(body, response);
    else response.end(body);
  }
}

const notFound: Reply = { status: 404, headers: plain, body: 'Not found\n' };

function readRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const url = incoming.url ?? '/';
  const mark = url.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
    headers: incoming.headers,
    stream: incoming,
    signal,
  };
}

function faultReply({ headers = {}, body = '' }: FaultRule, status: number): Reply {
  if (typeof body === 'string') return { status, headers: { ...plain, ...headers }, body };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}
