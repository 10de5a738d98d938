import { stopwatch } from '@interlock/base';
import type { Outcome } from './audit/audit.js';
import type { ProxyContext } from './context.js';
import { readHead } from './head/read-head.js';
import { parseHead, type ConnectRequest } from './head/request.js';
import { established, isRefused, responseTo, type Refusal } from './refusal.js';
import { Attempt } from './relay/attempt.js';
import { ignoreAll, type Connection } from './relay/connection.js';
import { Tunnel } from './relay/tunnel.js';
import { openTarget } from './target/open-target.js';
import type { DialedTarget } from './target/dial.js';

/** Milliseconds that a client gets to receive the response to a refused request. */
const closingMs = 1_000;

interface Progress {
  client: string;
  request?: ConnectRequest | undefined;
  address?: string | undefined;
  elapsed: () => number;
}

/** Serves the only request of a connection, from its head to the end of its tunnel. */
export async function serveConnection(
  connection: Connection,
  client: string,
  context: ProxyContext,
): Promise<void> {
  const { clock, limits } = context;
  const progress: Progress = { client, elapsed: stopwatch(clock) };
  const read = await readHead(connection, limits, clock);
  if (read === undefined) return connection.close();
  if (isRefused(read)) return refuseRequest(connection, context, progress, read);
  const request = parseHead(read.head);
  if (isRefused(request)) return refuseRequest(connection, context, progress, request);
  progress.request = request;
  const attempt = new Attempt();
  connection.handler = { ...ignoreAll, onClosed: () => attempt.giveUp() };
  const target = await openTarget(request, context, attempt);
  if (isRefused(target)) return refuseRequest(connection, context, progress, target);
  relay(connection, target, read.early, context, progress);
}

function relay(
  client: Connection,
  { connection: target, address }: DialedTarget,
  early: Buffer,
  context: ProxyContext,
  progress: Progress,
): void {
  const { metrics, tunnels } = context;
  metrics.tunnels += 1;
  progress.address = address;
  const tunnel = new Tunnel({ client, target, greeting: established, early }, (end) => {
    const outcome = tunnels.remove(tunnel) ?? (end === 'cut' ? 'cutAtShutdown' : end);
    metrics.countEnd(progress.elapsed(), tunnel.bytesUp, tunnel.bytesDown);
    record(context, progress, { outcome, bytesUp: tunnel.bytesUp, bytesDown: tunnel.bytesDown });
  });
  tunnels.add(tunnel);
}

/** Answers a refused request, and closes its connection. */
export function refuseRequest(
  connection: Connection,
  context: ProxyContext,
  progress: Progress,
  refusal: Refusal,
): void {
  const { metrics, clock } = context;
  const isGone = connection.isClosed;
  metrics.countRefusal(isGone ? 'ClientGone' : refusal.reason);
  if (refusal.status === 403) metrics.denied += 1;
  const outcome = isGone ? 'clientGone' : outcomeOf(refusal);
  record(context, progress, { outcome, reason: refusal.reason, bytesUp: 0, bytesDown: 0 });
  if (isGone) return;
  const timer = clock.setTimeout(() => connection.close(), closingMs);
  connection.handler = { ...ignoreAll, onClosed: () => timer.cancel() };
  connection.write(Buffer.from(responseTo(refusal)));
  connection.end();
  /* Unread bytes would turn the close into a reset, which discards the response. */
  connection.resume();
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

interface Result {
  outcome: Outcome;
  reason?: string;
  bytesUp: number;
  bytesDown: number;
}

function record(
  context: ProxyContext,
  { client, request, address, elapsed }: Progress,
  result: Result,
): void {
  context.audit({
    client,
    host: request?.host,
    port: request?.port,
    address,
    ...result,
    durationMs: elapsed() * 1000,
  });
}
