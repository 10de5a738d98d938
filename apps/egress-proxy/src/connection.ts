import type { Outcome } from './audit/audit.js';
import type { ProxyContext } from './context.js';
import { readHead } from './head/read-head.js';
import { parseHead, type ConnectRequest } from './head/request.js';
import type { WaitingClient } from './head/waiting-client.js';
import { established, isRefused, responseTo, type Refusal } from './refusal.js';
import { ignoreAll, type Connection } from './relay/connection.js';
import { Tunnel, type TunnelEnd } from './relay/tunnel.js';
import { openTarget } from './target/open-target.js';
import type { DialedTarget } from './target/dial.js';
import type { OpenTunnel } from './tunnels.js';
import { WaitingRequest } from './waiting-request.js';

/** The only request of a connection, from its head to the end of its tunnel. */
export class ClientRequest extends WaitingRequest {
  readonly #connection: Connection;
  readonly #client: string;
  readonly #context: ProxyContext;
  readonly #startedAt: number;
  #target: ConnectRequest | undefined;
  #address: string | undefined;

  /** @param client the address of the client */
  constructor(connection: Connection, client: string, context: ProxyContext) {
    super();
    this.#connection = connection;
    this.#client = client;
    this.#context = context;
    this.#startedAt = context.clock.monotonic();
  }

  /**
   * Reads and answers the request. Resolves when its tunnel is open, or when it is refused.
   *
   * @param first bytes that were already read; see {@link readHead}
   */
  async serve(first?: Buffer): Promise<void> {
    const connection = this.#connection;
    const read = await readHead(connection, this.#context.limits, first);
    if (read === undefined) return connection.close();
    if (isRefused(read)) return this.refuse(read);
    const request = parseHead(read.head);
    if (isRefused(request)) return this.refuse(request);
    this.#target = request;
    const { waiting } = this.#context;
    waiting.add(this);
    const target = await openTarget(request, this.#client, this.#context, read.client.attempt);
    const isCut = !waiting.remove(this);
    if (isRefused(target)) return isCut ? undefined : this.refuse(target);
    if (isCut) return target.connection.close();
    this.#relay(target, read.client);
  }

  cut(): void {
    const { handler } = this.#connection;
    this.#context.waiting.remove(this);
    this.#record('cutAtShutdown', 0, 0);
    this.#connection.close();
    handler.onClosed(false);
  }

  /** Answers the request with a refusal, and closes its connection. */
  refuse(refusal: Refusal): void {
    const connection = this.#connection;
    const { metrics, limits } = this.#context;
    const isGone = connection.isClosed;
    metrics.countRefusal(isGone ? 'ClientGone' : refusal.reason);
    if (refusal.status === 403) metrics.denied += 1;
    this.#record(isGone ? 'clientGone' : outcomeOf(refusal), 0, 0, refusal.reason);
    if (isGone) return;
    const deadline = limits.closing.start(() => connection.close());
    connection.handler = { ...ignoreAll, onClosed: () => deadline.cancel() };
    connection.write(Buffer.from(responseTo(refusal)));
    connection.end();
    /* Unread bytes would turn the close into a reset, which discards the response. */
    connection.resume();
  }

  #relay({ connection: target, address }: DialedTarget, { early, hasEnded }: WaitingClient): void {
    const { metrics, tunnels } = this.#context;
    metrics.tunnels += 1;
    this.#address = address;
    const ends = { client: this.#connection, target, greeting: established, early, hasClientEnded: hasEnded };
    const open = tunnels.add(new Tunnel(ends, (end) => this.#conclude(open, end)));
  }

  #conclude(open: OpenTunnel, end: TunnelEnd): void {
    const { metrics, tunnels } = this.#context;
    const { tunnel, cutFor } = open;
    tunnels.remove(open);
    const outcome = cutFor ?? (end === 'cut' ? 'cutAtShutdown' : end);
    if (outcome === 'memoryExceeded') metrics.cutForMemory += 1;
    metrics.countEnd(this.#elapsedMs() / 1000, tunnel.bytesUp, tunnel.bytesDown);
    this.#record(outcome, tunnel.bytesUp, tunnel.bytesDown);
  }

  #record(outcome: Outcome, bytesUp: number, bytesDown: number, reason?: string): void {
    this.#context.audit({
      client: this.#client,
      host: this.#target?.host,
      port: this.#target?.port,
      address: this.#address,
      outcome,
      reason,
      bytesUp,
      bytesDown,
      durationMs: this.#elapsedMs(),
    });
  }

  #elapsedMs(): number {
    return this.#context.clock.monotonic() - this.#startedAt;
  }
}

function outcomeOf({ status }: Refusal): Outcome {
  switch (status) {
    case 403:
      return 'denied';
    case 502:
    case 504:
      return 'unreachable';
    case 503:
      return 'overloaded';
    case 400:
    case 405:
    case 408:
    case 431:
    case 505:
      return 'malformed';
  }
}
