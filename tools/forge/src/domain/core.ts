import { join } from 'node:path';
import { KeyedLock } from '@interlock/base';
import { timestamp, type WallClock } from '../clock.js';
import { BareRepository } from '../git/bare-repository.js';
import type { EventListener, ForgeEvent } from './events.js';
import type { Account, ForgeState, Repository } from './model.js';
import { found } from './refusal.js';

/** The dependencies of all parts of the domain: the state, the time, the repositories on disk, and the listeners. */
export class Core {
  readonly #lock = new KeyedLock();
  readonly #repositories = new Map<number, BareRepository>();
  readonly #listeners = new Set<EventListener>();

  constructor(
    readonly state: ForgeState,
    readonly clock: WallClock,
    readonly directory: string,
  ) {}

  nextId(): number {
    return ++this.state.lastId;
  }

  /** Returns the current time as RFC 3339 in UTC, in seconds. */
  now(): string {
    return timestamp(this.clock);
  }

  /** Returns the path of the bare repository on disk. */
  pathOf(repository: Repository): string {
    return join(this.directory, 'repositories', this.owner(repository).login, `${repository.name}.git`);
  }

  git(repository: Repository): BareRepository {
    const known = this.#repositories.get(repository.id);
    if (known !== undefined) return known;
    const opened = new BareRepository(this.pathOf(repository));
    this.#repositories.set(repository.id, opened);
    return opened;
  }

  /** @throws Refusal `NotFound`. */
  account(id: number): Account {
    return found(this.state.accounts.find((account) => account.id === id));
  }

  owner(repository: Repository): Account {
    return this.account(repository.ownerId);
  }

  /** Runs `work` with exclusive access to the repository through the forge. */
  exclusive<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(String(repository.id), work);
  }

  listen(listener: EventListener): void {
    this.#listeners.add(listener);
  }

  publish(event: ForgeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Returns whether two logins, or names of repositories or labels, are the same, ignoring case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
