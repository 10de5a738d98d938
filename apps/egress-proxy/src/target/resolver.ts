import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { Clock } from '@interlock/base';
import type { Attempt } from '../relay/attempt.js';
import { Lookups, type LookupOptions } from './lookups.js';

/** Returns the addresses of a host name for a client, at least one. Rejects when it has none, or when the lookup takes too long. */
export type Resolve = (host: string, client: string, attempt: Attempt) => Promise<readonly string[]>;

/** Returns the lookup of the system, which uses /etc/hosts and the search domains of the pod. */
export const systemLookup = async (host: string): Promise<readonly string[]> => {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
};

/**
 * Maximum number of addresses of one family that are kept for a name. A client can request names with thousands of addresses: the
 * cache would exceed the memory of the proxy, and the checks of the policy would delay all tunnels.
 */
const maxAddresses = 32;

interface ResolverOptions extends LookupOptions {
  clock: Clock;
  /** Milliseconds for which an answer is cached. */
  keepMs?: number;
  /** Maximum number of cached names. */
  maxNames?: number;
}

interface Answer {
  addresses: readonly string[];
  until: number;
}

/**
 * Returns a resolver that shares one lookup between concurrent tunnels to the same name, and caches answers for a short time. The
 * addresses are checked for each tunnel, so a cached answer cannot bypass the policy.
 */
export function cachingResolver({
  lookup,
  clock,
  keepMs = 10_000,
  maxNames = 1024,
  ...limits
}: ResolverOptions): Resolve {
  const answers = new Map<string, Answer>();
  const ask = async (host: string): Promise<readonly string[]> => {
    const addresses = firstOfFamilies(await lookup(host));
    if (addresses.length === 0) throw new Error('the name has no address');
    answers.delete(host);
    answers.set(host, { addresses, until: clock.monotonic() + keepMs });
    const oldest = answers.keys().next();
    if (answers.size > maxNames && oldest.done !== true) answers.delete(oldest.value);
    return addresses;
  };
  const lookups = new Lookups({ ...limits, lookup: ask });

  return async (host, client, attempt) => {
    const known = answers.get(host);
    if (known !== undefined && known.until > clock.monotonic()) return known.addresses;
    answers.delete(host);
    const { addresses, leave } = lookups.join(host, client);
    const givenUp = new Promise<never>((_resolve, reject) =>
      attempt.whenGivenUp(() => reject(new Error('the lookup was given up'))),
    );
    try {
      return await Promise.race([addresses, givenUp]);
    } finally {
      attempt.whenGivenUp(undefined);
      leave();
    }
  };
}

/** Returns the first addresses of both families, in their order. */
function firstOfFamilies(addresses: readonly string[]): readonly string[] {
  const counts = { four: 0, six: 0 };
  return addresses.filter((address) => {
    const family = isIPv6(address) ? 'six' : 'four';
    counts[family] += 1;
    return counts[family] <= maxAddresses;
  });
}
