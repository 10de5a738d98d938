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
  /** Called when the lease could not be renewed or belongs to another process: all writers must stop now. */
  onLost?: () => void;
  /** Called when another process, or this one, is observed as leader. */
  onNewLeader?: (identity: string) => void;
  /** Called at a renewal that had to read the lease first. */
  onSlowPath?: () => void;
}

/** client-go's JitterFactor: the interval between attempts to acquire exceeds the retry period by up to this factor. */
const jitterFactor = 1.2;
/** The shortest wait after a renewal that has failed. */
const leastRetryMs = 100;

/**
 * Leader election on a Lease, like client-go (k8s.io/client-go/tools/leaderelection). Leases of other processes are
 * timed from when this process observed a change, never by their timestamps, so clocks need not agree.
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

  /**
   * Creates an elector.
   *
   * @throws Error unless lease duration > renew deadline > retry period * 1.2
   */
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
   * Returns whether this process holds the lease now. It reads the clock, so that a process that was frozen past the
   * renew deadline detects the loss before any timer has fired.
   */
  get leads(): boolean {
    return this.#leads && this.#remainingMs() > 0;
  }

  /** Returns whether the election works: the lease could be read or written within the last lease duration. */
  get healthy(): boolean {
    return this.#now() < this.#contactAt + this.#leaseDurationMs;
  }

  /**
   * Acquires and renews the lease until `signal` aborts, and then releases it. Returns `released`, even if it was never
   * held, or `lost`; the elector does not try again after a loss.
   */
  async run(signal: AbortSignal): Promise<'released' | 'lost'> {
    if (!(await this.#acquire(signal))) {
      await this.#release();
      return 'released';
    }
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
      const attempt = await this.#attempt(signal, this.#renewDeadlineMs);
      /* If the process was frozen before it got the answer, another one may lead by now. */
      if (attempt === 'held' && this.#remainingMs() > 0) return true;
      await delay(
        this.#options.clock,
        this.#retryPeriodMs * (1 + this.#options.random() * jitterFactor),
        signal,
      );
    }
    return false;
  }

  async #renew(signal: AbortSignal): Promise<'stopped' | 'lost'> {
    let hasFailed = false;
    while (!signal.aborted) {
      const remainingMs = this.#remainingMs();
      const retryMs = Math.max(leastRetryMs, remainingMs / 2);
      const waitMs = Math.min(this.#retryPeriodMs, remainingMs, hasFailed ? retryMs : Infinity);
      await delay(this.#options.clock, waitMs, signal);
      if (this.#remainingMs() <= 0) return 'lost';
      if (signal.aborted) break;
      // A silent connection must leave time for a second attempt on another one.
      const timeoutMs = Math.min(this.#remainingMs(), this.#renewDeadlineMs / 2);
      const deadline = this.#now() + this.#remainingMs();
      const attempt = await this.#attempt(signal, timeoutMs);
      // An answer that is read after a freeze comes too late: work that was skipped meanwhile is not repeated.
      if (attempt === 'taken' || this.#now() >= deadline) return 'lost';
      hasFailed = attempt === 'failed';
    }
    return 'stopped';
  }

  /** Makes one attempt to acquire or renew, with a time limit whatever the connection does. */
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
      this.#options.log.warn({ error: messageOf(error) }, 'could not release the lease; it will expire');
    }
  }

  #report(): void {
    const holder = this.#lock.holder;
    if (holder === '' || holder === this.#reported) return;
    this.#reported = holder;
    this.#options.log.info({ lease: this.#options.leaseName, leader: holder }, 'new leader');
    this.#options.onNewLeader?.(holder);
  }

  /** Returns the time until the renew deadline. */
  #remainingMs(): number {
    return this.#lock.renewedAt + this.#renewDeadlineMs - this.#now();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
