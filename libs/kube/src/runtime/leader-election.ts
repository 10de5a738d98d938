import { isTyped, messageOf, TypedError } from '@interlock/api';
import { delay, onAbort, type Clock, type Logger } from '@interlock/base';
import type { Client } from '../client/types.js';
import { LeaseLock } from './lease-lock.js';
import type { LeaderElectionOptions } from './types.js';

export interface LeaderElectorOptions extends LeaderElectionOptions {
  client: Pick<Client, 'get' | 'create' | 'update'>;
  clock: Clock;
  log: Logger;
  /** Yields numbers in [0, 1). */
  random: () => number;
  onAcquired?: () => void;
  /** The lease could not be renewed or is somebody else's: whoever writes must stop now. */
  onLost?: () => void;
  /** Somebody else, or this process, was seen to lead. */
  onNewLeader?: (identity: string) => void;
  /** A renewal that had to read the lease first. */
  onSlowPath?: () => void;
}

/** client-go's JitterFactor: attempts to acquire are up to so much longer apart than the retry period. */
const jitterFactor = 1.2;

/**
 * Leader election on a Lease, as client-go does it (k8s.io/client-go/tools/leaderelection): others' leases are timed
 * by when this process saw them change, never by their timestamps, so clocks need not agree.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #lock: LeaseLock;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  #leads = false;
  #reported: string | undefined;
  #contactAt = -Infinity;

  /** @throws Error unless lease duration > renew deadline > retry period * 1.2 */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    if (this.#leaseDurationMs <= this.#renewDeadlineMs) {
      throw new Error('the lease duration must be longer than the renew deadline');
    }
    if (this.#renewDeadlineMs <= this.#retryPeriodMs * jitterFactor) {
      throw new Error('the renew deadline must be longer than the retry period and its jitter');
    }
    this.#lock = new LeaseLock({ ...options, leaseDurationMs: this.#leaseDurationMs });
  }

  /**
   * Whether this process holds the lease now. Asks the clock, so that a process that was frozen past the renew
   * deadline knows before any timer of its own has fired.
   */
  get leads(): boolean {
    return this.#leads && this.#remainingMs() > 0;
  }

  /** Whether the election works: the lease could be read or written within the last lease duration. */
  get healthy(): boolean {
    return this.#now() < this.#contactAt + this.#leaseDurationMs;
  }

  /**
   * Acquires and renews the lease until `signal` aborts, and releases it then.
   *
   * @returns `released`, also when it was never held, or `lost`; the elector does not try again after a loss
   */
  async run(signal: AbortSignal): Promise<'released' | 'lost'> {
    if (!(await this.#acquire(signal))) return 'released';
    this.#leads = true;
    this.#options.onAcquired?.();
    const renewed = await this.#renew(signal);
    this.#leads = false;
    if (renewed === 'lost') {
      this.#options.log.error({ lease: this.#options.leaseName }, 'lost the lease');
      this.#options.onLost?.();
      return 'lost';
    }
    await this.#release();
    return 'released';
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if ((await this.#attempt(signal, this.#renewDeadlineMs)) === 'held') return true;
      await delay(
        this.#options.clock,
        this.#retryPeriodMs * (1 + this.#options.random() * jitterFactor),
        signal,
      );
    }
    return false;
  }

  async #renew(signal: AbortSignal): Promise<'stopped' | 'lost'> {
    while (!signal.aborted) {
      await delay(this.#options.clock, Math.min(this.#retryPeriodMs, this.#remainingMs()), signal);
      if (this.#remainingMs() <= 0) return 'lost';
      if (signal.aborted) break;
      // A connection gone silent must leave time for a second attempt on another one.
      const timeoutMs = Math.min(this.#remainingMs(), this.#renewDeadlineMs / 2);
      if ((await this.#attempt(signal, timeoutMs)) === 'taken') return 'lost';
    }
    return 'stopped';
  }

  /** One attempt to acquire or renew, given up in time whatever the connection does. */
  async #attempt(signal: AbortSignal, timeoutMs: number): Promise<'held' | 'taken' | 'failed'> {
    const attempt = new AbortController();
    const off = onAbort(signal, () => attempt.abort(signal.reason));
    const timer = this.#options.clock.setTimeout(
      () => attempt.abort(new TypedError('Transient', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const held = await this.#lock.tryAcquireOrRenew({ signal: attempt.signal, timeoutMs, lane: 'lease' });
      this.#contactAt = this.#now();
      this.#report();
      return held ? 'held' : 'taken';
    } catch (error) {
      if (isTyped(error, 'Conflict')) this.#contactAt = this.#now();
      const fields = { lease: this.#options.leaseName, error: messageOf(error) };
      if (isTyped(error, 'Conflict') || signal.aborted)
        this.#options.log.debug(fields, 'lease attempt failed');
      else this.#options.log.warn(fields, 'lease attempt failed');
      return 'failed';
    } finally {
      off();
      timer.cancel();
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#lock.release({ timeoutMs: this.#renewDeadlineMs, lane: 'lease' });
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        'could not release the lease; it expires by itself',
      );
    }
  }

  #report(): void {
    const holder = this.#lock.holder;
    if (holder === '' || holder === this.#reported) return;
    this.#reported = holder;
    this.#options.log.info({ lease: this.#options.leaseName, leader: holder }, 'new leader');
    this.#options.onNewLeader?.(holder);
  }

  /** Until the renew deadline. */
  #remainingMs(): number {
    return this.#lock.renewedAt + this.#renewDeadlineMs - this.#now();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
