import { isIPv6 } from 'node:net';
import type { Clock } from '@interlock/base';
import { Attempt } from '../relay/attempt.js';
import type { Connection } from '../relay/connection.js';
import { DialTimeout, type Dial } from '../relay/engine.js';

/** Maximum number of addresses of a host that are tried. */
const maxAttempts = 4;
/** Milliseconds for an address while further addresses are left. */
const attemptMs = 3_000;

export interface DialedTarget {
  readonly connection: Connection;
  readonly address: string;
}

/**
 * Connects to the first address that answers. It tries a bounded number of addresses, one after the other, and both families in turn.
 *
 * @param addresses the addresses that the policy permits
 * @throws the error of the last attempt
 */
export async function dialFirst(
  dial: Dial,
  clock: Clock,
  { addresses, port }: { addresses: readonly string[]; port: number },
  whole: Attempt,
): Promise<DialedTarget> {
  const tried = alternating(addresses).slice(0, maxAttempts);
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
  throw last ?? new DialTimeout('the connection was not established in time');
}

/**
 * Returns the addresses so that IPv4 and IPv6 alternate, as in RFC 8305, section 4: a host with many addresses of a family that has no
 * route would otherwise not be tried by the other family.
 */
function alternating(addresses: readonly string[]): readonly string[] {
  if (addresses.length === 1) return addresses;
  const isFirst = (address: string): boolean => isIPv6(address) === isIPv6(addresses[0] ?? '');
  const first = addresses.filter(isFirst);
  const other = addresses.filter((address) => !isFirst(address));
  const pairs = first.flatMap((address, index) => [address, ...other.slice(index, index + 1)]);
  return [...pairs, ...other.slice(first.length)];
}
