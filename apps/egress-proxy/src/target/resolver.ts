import { lookup } from 'node:dns/promises';
import type { Clock } from '@interlock/base';
import type { Attempt } from '../relay/attempt.js';

/** Returns the addresses of a host name, at least one. Rejects when it has none, or none is known in time. */
export type Resolve = (host: string, attempt: Attempt) => Promise<readonly string[]>;

/** The lookup of the machine: /etc/hosts and the search domains of the pod count. */
export const systemLookup = async (host: string): Promise<readonly string[]> => {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
};

interface ResolverOptions {
  lookup: (host: string) => Promise<readonly string[]>;
  clock: Clock;
  /** Milliseconds for which an answer is used again. */
  keepMs?: number;
  /** Names that are kept at once. */
  maxNames?: number;
  /** Lookups that run at once: the machine has four threads for them. */
  maxLookups?: number;
}

interface Answer {
  addresses: readonly string[];
  until: number;
}

/** The lookup cannot start, because too many others run. */
export class ResolverBusy extends Error {
  override readonly name = 'ResolverBusy';
}

/**
 * Returns a resolver that asks once for each name that several tunnels want, and uses an answer again for a short time. What it
 * answers is checked for each tunnel anew, so an old answer opens nothing that a new one would not.
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
