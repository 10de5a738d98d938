import { LockKeeper, type LockKeeperParts } from './lock-keeper.js';
import type { JobLock } from '@interlock/broker';
import type { LockView } from '../job/observed.js';

const unknownLock: LockView = { isRenewed: false, lostAt: undefined };

/** The locks that this process renews, by the name of the job's Secret. */
export class JobLocks {
  readonly #keepers = new Map<string, LockKeeper>();
  #handler: (name: string) => void = () => undefined;

  /** How many locks are renewed. */
  get size(): number {
    return this.#keepers.size;
  }

  has(name: string): boolean {
    return this.#keepers.has(name);
  }

  /** Registers what is called with the name of a job whose lock was renewed first, or lost. */
  onChange(handler: (name: string) => void): void {
    this.#handler = handler;
  }

  /** Begins to renew the lock of a job; does nothing when that has begun. */
  keep(name: string, locks: JobLock[], parts: Omit<LockKeeperParts, 'onChange'>): void {
    if (this.#keepers.has(name)) return;
    this.#keepers.set(name, new LockKeeper(locks, { ...parts, onChange: () => this.#handler(name) }));
  }

  /** Also renews the lock of a further delivery of the same job. */
  addSibling(name: string, lock: JobLock): void {
    this.#keepers.get(name)?.add(lock);
  }

  view(name: string): LockView {
    return this.#keepers.get(name)?.view ?? unknownLock;
  }

  markLost(name: string): void {
    this.#keepers.get(name)?.markLost();
  }

  /** Stops renewing a job that has ended, or is another process's. */
  drop(name: string): void {
    this.#keepers.get(name)?.stop();
    this.#keepers.delete(name);
  }
}
