import { onAbort, type Clock } from '@interlock/base';
import type { Credentials } from '../domain/credentials.js';
import { faultReply } from '../faults/fault-reply.js';
import type { ServiceFaultEffect, ServiceFaults } from '../faults/fault-rules.js';
import type { Base } from '../options.js';
import type { RequestEntry, RequestJournal, RequestSubject } from '../record/request-journal.js';
import { Refused } from '../record/refused.js';
import type { Violations } from '../record/violations.js';
import { baseOfPath } from './base-path.js';
import { ConnectionNumbers, cutRequest, isHttp2, type AnyRequest, type AnyResponse } from './connections.js';
import { identify } from './identity.js';
import type { Call, Reply } from './message.js';
import { refusalReply } from './refusal-reply.js';
import { writeReply, type BodyMode } from './reply-writer.js';
import type { RouteTable } from './route-table.js';

interface HandlerParts {
  clock: Clock;
  journal: RequestJournal;
  violations: Violations;
  faults: ServiceFaults;
  credentials: Credentials;
  routes: RouteTable;
  /** Returns the account that a credential belongs to. @param params the parameters of the route */
  ownerOf: (subject: RequestSubject, params: Readonly<Record<string, string>>) => string | undefined;
  /** Returns whether everything except the control API is unreachable. */
  isPartitioned: () => boolean;
  /** Aborted when the service closes. */
  closing: AbortSignal;
  /** Receives errors of the service itself. */
  onError: (error: unknown) => void;
}

const largestBody = 16 * 1024 * 1024;

/** One request that the service handles. */
interface Exchange {
  request: AnyRequest;
  response: AnyResponse;
  entry: RequestEntry;
  signal: AbortSignal;
  lost: (() => void)[];
  /** Whether the service itself ends the request without an answer. */
  isCut: boolean;
}

/** Records each request, finds its endpoint, injects the faults, and answers. */
export class RequestHandler {
  readonly #parts: HandlerParts;
  readonly #connections = new ConnectionNumbers();

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** Serves a request to its end; never rejects. */
  async handle(request: AnyRequest, response: AnyResponse, port: Base | undefined): Promise<void> {
    const exchange = this.#begin(request, response, port);
    try {
      await this.#serve(exchange);
    } catch (error) {
      if (!exchange.signal.aborted) this.#parts.onError(error);
      cut(exchange);
    } finally {
      this.#parts.journal.end(exchange.entry, 0, exchange.signal.aborted);
    }
  }

  #begin(request: AnyRequest, response: AnyResponse, port: Base | undefined): Exchange {
    const url = request.url ?? '/';
    const entry = this.#parts.journal.begin({
      base: baseOfPath(url),
      port,
      method: request.method ?? 'GET',
      path: url,
      connection: this.#connections.of(request),
      client: request.socket.remoteAddress ?? '',
      protocol: isHttp2(request) ? 'h2' : 'http/1.1',
    });
    const gone = new AbortController();
    const exchange: Exchange = { request, response, entry, signal: gone.signal, lost: [], isCut: false };
    const leave = (): void => gone.abort();
    const stay = onAbort(this.#parts.closing, leave);
    response.once('close', () => {
      stay();
      if (!response.writableFinished) {
        this.#parts.journal.end(entry, 0, !exchange.isCut && !this.#parts.closing.aborted);
        for (const callback of exchange.lost) callback();
      }
      gone.abort();
    });
    request.on('error', leave);
    response.on('error', leave);
    return exchange;
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, entry, signal } = exchange;
    if (entry.base !== 'control' && this.#parts.isPartitioned()) {
      entry.fault = 'partition';
      return cut(exchange);
    }
    const body = await readBounded(request);
    const { endpoint, call } = this.#resolve(exchange, body);
    const fault = entry.base === 'control' ? undefined : this.#parts.faults.take(entry);
    entry.fault = fault?.kind;
    if (fault?.kind === 'reset') return cut(exchange);
    if (fault?.kind === 'hang') return hang(signal);
    const reply =
      (fault && faultReply(fault, this.#parts.clock)) ?? (await this.#answer(call, () => endpoint(call)));
    if (fault?.kind === 'reset-after-commit') {
      entry.status = reply.status;
      return cut(exchange);
    }
    if (signal.aborted) {
      for (const callback of exchange.lost) callback();
      return;
    }
    this.#parts.journal.end(entry, reply.status);
    await writeReply({ ...exchange, clock: this.#parts.clock }, changed(reply, fault), modeOf(fault));
  }

  #resolve({ request, entry, signal, lost }: Exchange, body: Buffer) {
    const mark = entry.path.indexOf('?');
    const path = mark < 0 ? entry.path : entry.path.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? '' : entry.path.slice(mark + 1));
    const identity = identify(request.headers, this.#parts.credentials);
    const found = this.#parts.routes.find(
      entry.method,
      entry.base === 'rest' ? path.replace(/^\/api\/v3\//, '/') : path,
    );
    entry.subject = identity.subject;
    entry.owner = this.#parts.ownerOf(identity.subject, found?.params ?? {});
    entry.route = found?.route.template ?? '';
    entry.session = query.get('sessionId') ?? undefined;
    const call: Call = {
      entry,
      identity,
      params: found?.params ?? {},
      query,
      headers: request.headers,
      body,
      signal,
      onLost: (callback) => void lost.push(callback),
    };
    const endpoint = (current: Call): Reply | Promise<Reply> => {
      if (found === undefined) {
        throw new Refused(404, 'Not Found', { violation: 'unknown-route' });
      }
      if (entry.port !== undefined && entry.port !== entry.base) {
        throw new Refused(404, `The port of ${entry.port} does not serve ${entry.base}.`, {
          violation: 'wrong-port',
        });
      }
      if (entry.base === 'rest') requireUserAgent(current);
      return found.route.run(current);
    };
    return { endpoint, call };
  }

  async #answer({ entry }: Call, run: () => Reply | Promise<Reply>): Promise<Reply> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.violation !== undefined && entry.base !== 'control') {
        this.#parts.violations.record(
          error.violation,
          `${entry.method} ${entry.path}: ${error.message}`,
          entry.seq,
        );
      }
      return refusalReply(entry.base, error);
    }
  }
}

/** @throws Refused 403, as a violation, when a request does not name its client. */
function requireUserAgent({ headers }: Call): void {
  if ((headers['user-agent'] ?? '') !== '') return;
  throw new Refused(403, 'Request forbidden by administrative rules. Send a User-Agent header.', {
    violation: 'malformed-request',
  });
}

function cut(exchange: Exchange): void {
  exchange.isCut = true;
  cutRequest(exchange.request);
}

function changed(reply: Reply, fault: ServiceFaultEffect | undefined): Reply {
  if (fault?.kind !== 'wrong-content-type') return reply;
  return { ...reply, headers: { ...reply.headers, 'content-type': 'text/html' } };
}

function modeOf(fault: ServiceFaultEffect | undefined): BodyMode {
  if (fault?.kind === 'slow-body') return 'slow';
  return fault?.kind === 'truncated-body' ? 'truncated' : 'whole';
}

function hang(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @throws Error beyond 16 MiB. */
async function readBounded(request: AnyRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw new Error('the body of a request is larger than 16 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
