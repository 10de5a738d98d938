import { LockKeeper, type LockKeeperParts } from './lock-keeper.js';
import type { JobLock } from '@interlock/broker';
import type { LockView } from '../job/observed.js';

const unknownLock: LockView = { isRenewed: false, lostAt: undefined };

/** The locks that this process renews, by the name of the job's Secret. */
export class JobLocks {
  readonly #keepers = new Map<string, LockKeeper>();
  #handler: (name: string) => void = () => undefined;

  /** The number of locks that are renewed. */
  get size(): number {
    return this.#keepers.size;
  }

  has(name: string): boolean {
    return this.#keepers.has(name);
  }

  /** Returns whether the lock of a job is renewed and, as far as is known, not lost. */
  isKept(name: string): boolean {
    const keeper = this.#keepers.get(name);
    return keeper !== undefined && keeper.view.lostAt === undefined;
  }

  /** Registers a function that is called with the name of a job whose lock was renewed for the first time, or lost. */
  onChange(handler: (name: string) => void): void {
    this.#handler = handler;
  }

  /** Starts to renew the lock of a job, unless it is already renewed. */
  keep(name: string, locks: JobLock[], parts: Omit<LockKeeperParts, 'onChange'>): void {
    if (this.#keepers.has(name)) return;
    this.#keepers.set(name, new LockKeeper(locks, { ...parts, onChange: () => this.#handler(name) }));
  }

  /** Also renews the lock of another delivery of the same job. */
  addSibling(name: string, lock: JobLock): void {
    this.#keepers.get(name)?.add(lock);
  }

  /** Returns how many locks of further deliveries of a job are renewed; undefined if its own lock is not renewed. */
  siblings(name: string): number | undefined {
    const keeper = this.#keepers.get(name);
    return keeper && keeper.locks.length - 1;
  }

  /** Renews these locks of further deliveries of a job from now on. */
  setSiblings(name: string, siblings: readonly JobLock[]): void {
    this.#keepers.get(name)?.setSiblings(siblings);
  }

  view(name: string): LockView {
    return this.#keepers.get(name)?.view ?? unknownLock;
  }

  markLost(name: string): void {
    this.#keepers.get(name)?.markLost();
  }

  /** Stops renewing the lock of a job that has ended, or that another process holds. */
  drop(name: string): void {
    this.#keepers.get(name)?.stop();
    this.#keepers.delete(name);
  }
}
