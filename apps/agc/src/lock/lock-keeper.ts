import { isTyped, messageOf } from '@interlock/api';
import { delay, timeLimit, type Clock, type Logger } from '@interlock/base';
import type { JobLock } from '@interlock/broker';
import type { LockView } from '../job/observed.js';
import { isExpired, lockDuration, renewalDelay, type LockState } from './renewal.js';

export interface LockKeeperParts {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Logger;
  /**
   * Called after each successful renewal; `lockedUntil` in milliseconds since the epoch, `marginMs` the time that was left when
   * it was sent.
   */
  onRenewed(renewal: { lockedUntil: number; marginMs: number; isFirst: boolean }): void;
  onFailed(error: unknown): void;
  /** Called when {@link LockKeeper.view} changes. */
  onChange(): void;
}

/** The timeout of a renewal, which is then repeated on another connection. */
const callTimeoutMs = 20_000;

/** Renews the lock of one job immediately and then periodically, until the lock is lost or the keeper is stopped. */
export class LockKeeper {
  readonly #parts: LockKeeperParts;
  readonly #stop = new AbortController();
  #state: LockState;
  #lostAt: number | undefined;
  #isRevoked = false;

  /**
   * Starts to renew the lock.
   *
   * @param locks the lock of the delivery that runs, then the locks of further deliveries of the same job
   */
  constructor(
    readonly locks: JobLock[],
    parts: LockKeeperParts,
  ) {
    this.#parts = parts;
    const now = parts.clock.monotonic();
    this.#state = { renewedAt: undefined, expiresAt: now + lockDuration(0, 0), failures: 0 };
    void this.#run(this.#stop.signal);
  }

  get view(): LockView {
    return {
      isRenewed: this.#state.renewedAt !== undefined,
      lostAt: this.#lostAt,
      isRevoked: this.#isRevoked,
    };
  }

  /** Also renews the lock of another delivery, unless it is already renewed. */
  add(lock: JobLock): void {
    if (!this.locks.includes(lock)) this.locks.push(lock);
  }

  /** Renews these locks of further deliveries from now on. */
  setSiblings(siblings: readonly JobLock[]): void {
    this.locks.splice(1, this.locks.length, ...siblings);
  }

  /** Marks the lock as lost, because the service has reported the end of the job. */
  markLost(): void {
    if (this.#lostAt !== undefined) return;
    const { clock } = this.#parts;
    const { renewedAt, expiresAt } = this.#state;
    this.#lostAt = clock.now();
    this.#isRevoked = renewedAt !== undefined && clock.monotonic() <= expiresAt;
    this.#stop.abort();
    this.#parts.onChange();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    while (!signal.aborted) {
      await this.#renew(signal);
      if (signal.aborted) return;
      if (isExpired(this.#state, clock.monotonic())) return this.markLost();
      await delay(clock, renewalDelay(this.#state, clock.monotonic(), random()), signal);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, log, onRenewed, onFailed, onChange } = this.#parts;
    const [own, ...siblings] = this.locks;
    if (own === undefined) return;
    const sentAt = clock.monotonic();
    const limit = timeLimit(callTimeoutMs, signal);
    void Promise.allSettled(siblings.map((sibling) => sibling.renew(limit)));
    try {
      const { lockedUntil } = await own.renew(limit);
      const isFirst = this.#state.renewedAt === undefined;
      const marginMs = this.#state.expiresAt - sentAt;
      const expiresAt = sentAt + lockDuration(lockedUntil, clock.now());
      this.#state = { renewedAt: sentAt, expiresAt, failures: 0 };
      onRenewed({ lockedUntil, marginMs, isFirst });
      if (isFirst) onChange();
    } catch (error) {
      if (signal.aborted) return;
      onFailed(error);
      if (isTyped(error, 'NotFound')) return this.markLost();
      this.#state = { ...this.#state, failures: this.#state.failures + 1 };
      log.warn(
        { error: messageOf(error), failures: this.#state.failures },
        'could not renew the lock of a job',
      );
    }
  }
}
