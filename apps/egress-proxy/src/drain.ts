import { delay, type Clock, type LinkedList, type Logger } from '@interlock/base';
import type { ProxyListener } from './listener.js';
import type { OpenTunnels } from './tunnels.js';
import type { WaitingRequest } from './waiting-request.js';

interface DrainLimits {
  /** Maximum milliseconds for which new connections are still accepted; 0: none are accepted. */
  lingerMs: number;
  /** Milliseconds for the whole drain; tunnels that are still open after it are reset. */
  drainMs: number;
}

/** Milliseconds without a new connection after which no more are expected. */
const quietMs = 2_000;
const pollMs = 100;

interface DrainParts extends DrainLimits {
  clock: Clock;
  log: Logger;
  listener: Pick<ProxyListener, 'lastAccepted' | 'stop' | 'empty' | 'cutUnfinished'>;
  tunnels: Pick<OpenTunnels, 'size' | 'cutAll'>;
  waiting: Pick<LinkedList<WaitingRequest>, 'size' | 'all'>;
}

/**
 * Shuts the proxy down: accepts connections while clients still connect, because endpoints are withdrawn only after the pod
 * receives its signal, then waits for the requests and the tunnels to finish. The caller has made the proxy unready.
 *
 * @param hurry aborts when the remaining tunnels must be cut at once
 * @returns whether every request and every tunnel ended before it had to be cut
 */
export async function drain(parts: DrainParts, hurry: AbortSignal): Promise<boolean> {
  const { clock, log, listener, tunnels, waiting, lingerMs, drainMs } = parts;
  const endsAt = clock.monotonic() + drainMs;
  const lingerUntil = clock.monotonic() + Math.min(lingerMs, drainMs);
  const quietSince = (): number => Math.max(listener.lastAccepted, endsAt - drainMs);
  while (!hurry.aborted && clock.monotonic() < Math.min(lingerUntil, quietSince() + quietMs)) {
    await delay(clock, pollMs, hurry);
  }
  listener.stop();
  log.info({ tunnels: tunnels.size }, 'connections are no longer accepted; waiting for open tunnels');
  const over = new AbortController();
  const limit = AbortSignal.any([hurry, over.signal]);
  await Promise.race([listener.empty(), delay(clock, endsAt - clock.monotonic(), limit)]);
  over.abort();
  const left = { tunnels: tunnels.size, requests: waiting.size };
  const isComplete = left.tunnels === 0 && left.requests === 0;
  if (!isComplete) log.warn(left, 'ending the tunnels and the requests that are still open');
  tunnels.cutAll();
  for (const request of waiting.all()) request.cut();
  listener.cutUnfinished();
  return isComplete;
}
