import { FairQueue } from '@interlock/base';

export interface LookupOptions {
  lookup: (host: string) => Promise<readonly string[]>;
  /** Maximum number of names that are looked up or wait for it. One client can have half of them. */
  maxLookups?: number;
  /** Maximum number of lookups at a time. One client can have half of them. */
  maxRunning?: number;
}

/**
 * Returns the number of lookups that Node.js runs at a time: a lookup waits in a thread for its answer, and only half of the threads
 * are used for work that waits.
 */
function lookupThreads(): number {
  return Math.ceil((Number(process.env['UV_THREADPOOL_SIZE']) || 4) / 2);
}

/** The error when a lookup cannot start because too many others are under way. */
export class ResolverBusy extends Error {
  override readonly name = 'ResolverBusy';
}

/** The lookup of one name for all requests that need it. */
export interface Lookup {
  readonly addresses: Promise<readonly string[]>;
  leave(): void;
}

/**
 * Looks up names, each once for all requests that need it at the same time. Clients take turns, and a lookup that no request
 * waits for any more is not started, so that a client with names that no server answers does not delay the others.
 */
export class Lookups {
  readonly #ask: LookupOptions['lookup'];
  readonly #maxLookups: number;
  readonly #maxRunning: number;
  readonly #byHost = new Map<string, SharedLookup>();
  readonly #waiting = new FairQueue<SharedLookup>();
  /** Lookups by the client for which they were started. */
  readonly #running = new Count();

  constructor({ lookup, maxLookups = 64, maxRunning = lookupThreads() }: LookupOptions) {
    this.#ask = lookup;
    this.#maxLookups = maxLookups;
    this.#maxRunning = maxRunning;
  }

  /** Joins the lookup of a name. The caller leaves it at the end. @throws ResolverBusy */
  join(host: string, client: string): Lookup {
    const lookup = this.#byHost.get(host) ?? this.#add(host, client);
    if (lookup.requests.add(client) === 1 && !lookup.isRunning) {
      this.#waiting.add(client, lookup);
      this.#startNext();
    }
    return { addresses: lookup.addresses, leave: () => this.#leave(lookup, client) };
  }

  #add(host: string, client: string): SharedLookup {
    const own = [...this.#byHost.values()].filter(({ owner }) => owner === client).length;
    if (this.#byHost.size >= this.#maxLookups || own >= this.#maxLookups / 2) {
      throw new ResolverBusy('too many lookups are in progress');
    }
    const lookup = new SharedLookup(host, client);
    this.#byHost.set(host, lookup);
    return lookup;
  }

  #leave(lookup: SharedLookup, client: string): void {
    if (lookup.requests.remove(client) > 0 || lookup.isRunning) return;
    this.#waiting.remove(client, lookup);
    const [next] = lookup.requests.keys();
    if (next === undefined) this.#byHost.delete(lookup.host);
    else if (lookup.owner === client) lookup.owner = next;
  }

  #startNext(): void {
    const hasRoom = (client: string): boolean => this.#running.of(client) < this.#maxRunning / 2;
    while (this.#running.total < this.#maxRunning) {
      const next = this.#waiting.take(hasRoom);
      if (next === undefined) return;
      const { owner, item: lookup } = next;
      for (const client of lookup.requests.keys()) this.#waiting.remove(client, lookup);
      lookup.owner = owner;
      this.#running.add(owner);
      void lookup.run(this.#ask).finally(() => {
        this.#byHost.delete(lookup.host);
        this.#running.remove(owner);
        this.#startNext();
      });
    }
  }
}

class SharedLookup {
  readonly host: string;
  /** The client whose limit it counts for: the first that asked of those that wait, or the one for which it runs. */
  owner: string;
  readonly addresses: Promise<readonly string[]>;
  /** Requests that wait, by client. */
  readonly requests = new Count();
  isRunning = false;
  #resolve!: (addresses: Promise<readonly string[]>) => void;

  constructor(host: string, owner: string) {
    this.host = host;
    this.owner = owner;
    this.addresses = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Resolves when the lookup has ended in any way. */
  async run(ask: LookupOptions['lookup']): Promise<void> {
    this.isRunning = true;
    this.#resolve(ask(this.host));
    await this.addresses.catch(() => undefined);
  }
}

/** Counts by key. */
class Count {
  readonly #counts = new Map<string, number>();
  total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  keys(): Iterable<string> {
    return this.#counts.keys();
  }

  /** Returns the new count. */
  add(key: string): number {
    return this.#set(key, 1);
  }

  /** Returns the new count. */
  remove(key: string): number {
    return this.#set(key, -1);
  }

  #set(key: string, change: 1 | -1): number {
    const count = this.of(key) + change;
    this.total += change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }
}
