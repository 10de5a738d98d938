import { onAbort, type Clock } from '@interlock/base';
import type { Connection } from '../relay/connection.js';
import { DialTimeout, type Dial } from '../relay/engine.js';

/** How many addresses of a host are tried. */
const maxAttempts = 4;
/** Milliseconds that an address gets while others are left. */
const attemptMs = 3_000;

export interface DialedTarget {
  readonly connection: Connection;
  readonly address: string;
}

/**
 * Connects to the first of the addresses that answers, one after the other and a bounded number of them.
 *
 * @param addresses only those that the policy permits
 * @throws the error of the last attempt
 */
export async function dialFirst(
  dial: Dial,
  clock: Clock,
  { addresses, port }: { addresses: readonly string[]; port: number },
  signal: AbortSignal,
): Promise<DialedTarget> {
  let last: unknown = new DialTimeout('no connection in time');
  const tried = addresses.slice(0, maxAttempts);
  for (const [index, address] of tried.entries()) {
    if (signal.aborted) break;
    const attempt = new AbortController();
    const off = onAbort(signal, () => attempt.abort());
    const timer = index < tried.length - 1 ? clock.setTimeout(() => attempt.abort(), attemptMs) : undefined;
    try {
      return { connection: await dial(address, port, attempt.signal), address };
    } catch (error) {
      last = error;
    } finally {
      off();
      timer?.cancel();
    }
  }
  throw last;
}
