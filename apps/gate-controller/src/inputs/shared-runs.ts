import { aborted } from '@interlock/base';

/** A task that runs as long as it has owners. */
interface Follower {
  run(signal: AbortSignal): Promise<void>;
}

interface Shared<T> {
  follower: T;
  owners: Set<string>;
  abort: AbortController;
}

/** Followers by ID. Each owner uses at most one of them. They run while `run` does. */
export class SharedRuns<T extends Follower> {
  readonly #shared = new Map<string, Shared<T>>();
  readonly #followed = new Map<string, string>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  get(id: string): T | undefined {
    return this.#shared.get(id)?.follower;
  }

  /** Returns the ID of the follower that `owner` uses. */
  idOf(owner: string): string | undefined {
    return this.#followed.get(owner);
  }

  ownersOf(id: string): readonly string[] {
    return [...(this.#shared.get(id)?.owners ?? [])];
  }

  /** Makes the follower `id` the only one that `owner` uses. */
  follow(owner: string, id: string, create: () => T): void {
    if (this.#followed.get(owner) === id) return;
    this.leave(owner);
    this.#followed.set(owner, id);
    const known = this.#shared.get(id);
    if (known !== undefined) {
      known.owners.add(owner);
      return;
    }
    const shared = { follower: create(), owners: new Set([owner]), abort: new AbortController() };
    this.#shared.set(id, shared);
    if (this.#signal !== undefined) this.#start(shared);
  }

  /** Ends the use of a follower by `owner`. */
  leave(owner: string): void {
    const id = this.#followed.get(owner);
    const shared = id === undefined ? undefined : this.#shared.get(id);
    if (id === undefined || shared === undefined) return;
    this.#followed.delete(owner);
    shared.owners.delete(owner);
    if (shared.owners.size > 0) return;
    shared.abort.abort();
    this.#shared.delete(id);
  }

  /** Runs all followers until `signal` aborts, including those that are added later. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const shared of this.#shared.values()) this.#start(shared);
    await aborted(signal);
    for (const { abort } of this.#shared.values()) abort.abort();
    await Promise.all(this.#running);
  }

  #start({ follower, abort }: Shared<T>): void {
    if (this.#signal?.aborted === true) return;
    const ended = follower.run(abort.signal).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }
}
