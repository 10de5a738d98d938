import type { Clock } from '@interlock/base';
import { Attempt } from '../relay/attempt.js';
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
  whole: Attempt,
): Promise<DialedTarget> {
  const tried = addresses.slice(0, maxAttempts);
  let last: unknown;
  for (const [index, address] of tried.entries()) {
    if (whole.isGivenUp) break;
    const isLast = index === tried.length - 1;
    const attempt = isLast ? whole : new Attempt();
    const timer = isLast ? undefined : clock.setTimeout(() => attempt.giveUp(), attemptMs);
    if (!isLast) whole.whenGivenUp(() => attempt.giveUp());
    try {
      return { connection: await dial(address, port, attempt), address };
    } catch (error) {
      last = error;
    } finally {
      whole.whenGivenUp(undefined);
      timer?.cancel();
    }
  }
  throw last ?? new DialTimeout('no connection in time');
}
