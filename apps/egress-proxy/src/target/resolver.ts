import { lookup } from 'node:dns/promises';
import type { Clock } from '@interlock/base';
import type { Attempt } from '../relay/attempt.js';

/** Returns the addresses of a host name, at least one. Rejects when it has none, or when the lookup takes too long. */
export type Resolve = (host: string, attempt: Attempt) => Promise<readonly string[]>;

/** Returns the lookup of the system, which uses /etc/hosts and the search domains of the pod. */
export const systemLookup = async (host: string): Promise<readonly string[]> => {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
};

interface ResolverOptions {
  lookup: (host: string) => Promise<readonly string[]>;
  clock: Clock;
  /** Milliseconds for which an answer is cached. */
  keepMs?: number;
  /** Maximum number of cached names. */
  maxNames?: number;
  /** Maximum number of concurrent lookups. Node.js has four threads for them. */
  maxLookups?: number;
}

interface Answer {
  addresses: readonly string[];
  until: number;
}

/** The error when a lookup cannot start because too many others are running. */
export class ResolverBusy extends Error {
  override readonly name = 'ResolverBusy';
}

/**
 * Returns a resolver that shares one lookup between concurrent tunnels to the same name, and caches answers for a short time. The
 * addresses are checked for each tunnel, so a cached answer cannot bypass the policy.
 */
export function cachingResolver({
  lookup: ask,
  clock,
  keepMs = 10_000,
  maxNames = 1024,
  maxLookups = 64,
}: ResolverOptions): Resolve {
  const answers = new Map<string, Answer>();
  const running = new Map<string, Promise<readonly string[]>>();

  const start = (host: string): Promise<readonly string[]> => {
    if (running.size >= maxLookups) return Promise.reject(new ResolverBusy('too many lookups are under way'));
    const work = ask(host)
      .then((addresses) => {
        if (addresses.length === 0) throw new Error('the name has no address');
        answers.delete(host);
        answers.set(host, { addresses, until: clock.monotonic() + keepMs });
        const oldest = answers.keys().next();
        if (answers.size > maxNames && oldest.done !== true) answers.delete(oldest.value);
        return addresses;
      })
      .finally(() => running.delete(host));
    running.set(host, work);
    return work;
  };

  return async (host, attempt) => {
    const known = answers.get(host);
    if (known !== undefined && known.until > clock.monotonic()) return known.addresses;
    answers.delete(host);
    const work = running.get(host) ?? start(host);
    const givenUp = new Promise<never>((_resolve, reject) =>
      attempt.whenGivenUp(() => reject(new Error('the lookup was given up'))),
    );
    try {
      return await Promise.race([work, givenUp]);
    } finally {
      attempt.whenGivenUp(undefined);
    }
  };
}
