import { delay, type Clock, type Logger } from '@interlock/base';
import type { ProxyListener } from './listener.js';
import type { OpenTunnels } from './tunnels.js';

interface DrainLimits {
  /** Milliseconds for which new connections are still accepted at most; 0: none are. */
  lingerMs: number;
  /** Milliseconds for the whole drain; tunnels that are open then are reset. */
  drainMs: number;
}

/** Milliseconds without a new connection after which none is expected any more. */
const quietMs = 2_000;
const pollMs = 100;

interface DrainParts extends DrainLimits {
  clock: Clock;
  log: Logger;
  listener: Pick<ProxyListener, 'lastAccepted' | 'stop' | 'cutUnfinished'>;
  tunnels: Pick<OpenTunnels, 'size' | 'empty' | 'cutAll'>;
}

/**
 * Ends the work of the proxy: accepts connections while clients still come, because endpoints are withdrawn later than the pod is told to
 * end, then lets the tunnels finish. The caller has made the proxy unready.
 *
 * @param hurry aborts when the rest is to be cut at once
 */
export async function drain(parts: DrainParts, hurry: AbortSignal): Promise<void> {
  const { clock, log, listener, tunnels, lingerMs, drainMs } = parts;
  const endsAt = clock.monotonic() + drainMs;
  const lingerUntil = clock.monotonic() + Math.min(lingerMs, drainMs);
  const quietSince = (): number => Math.max(listener.lastAccepted, endsAt - drainMs);
  while (!hurry.aborted && clock.monotonic() < Math.min(lingerUntil, quietSince() + quietMs)) {
    await delay(clock, pollMs, hurry);
  }
  listener.stop();
  log.info({ tunnels: tunnels.size }, 'no more connections are accepted; waiting for the tunnels');
  const over = new AbortController();
  await Promise.race([tunnels.empty(), delay(clock, endsAt - clock.monotonic(), anyOf(hurry, over.signal))]);
  over.abort();
  if (tunnels.size > 0) log.warn({ tunnels: tunnels.size }, 'tunnels that are still open are reset');
  tunnels.cutAll();
  listener.cutUnfinished();
}

function anyOf(...signals: AbortSignal[]): AbortSignal {
  return AbortSignal.any(signals);
}
