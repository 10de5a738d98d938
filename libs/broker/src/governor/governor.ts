import { backoffMs, sleep, type Clock, type StopSignal } from '@interlock/base';

/** The priorities of calls, highest first. Each has a share of the budget that lower ones may not use, and ignores their pauses. */
export const callPriorities = ['renew', 'complete', 'acquire', 'session', 'poll', 'register'] as const;
export type CallPriority = (typeof callPriorities)[number];

interface GovernorOptions {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Calls per hour. */
  hourlyBudget: number;
}

/** The share of the budget that a priority leaves to higher ones. */
const reserve: Record<CallPriority, number> = {
  renew: 0,
  complete: 0.02,
  acquire: 0.04,
  session: 0.08,
  poll: 0.12,
  register: 0.16,
};
const hourMs = 3_600_000;
const longestPauseMs = hourMs;
/** The longest pause of renewals: a job is lost if its lock is not renewed for ten minutes, whatever pause the host requests. */
const longestRenewPauseMs = 60_000;
const pause = { baseMs: 10_000, maxMs: 5 * 60_000 };
const shortestPauseMs = 1_000;
/** Callers that wait until the same time start within this share of the wait after that time, at most 30 s. */
const spreadShare = 0.1;
const longestSpreadMs = 30_000;

/**
 * Limits the rate of the calls to one host: by a budget that refills evenly, and by the pauses that the host requests, for all callers.
 * A refused poll pauses polls and lower priorities only, so that no renewal waits for it.
 */
export class Governor {
  readonly #options: GovernorOptions;
  readonly #pausedUntil = new Map<CallPriority, number>();
  #level: number;
  #levelAt: number;
  /** The number of consecutive refusals of each priority: one outage refuses all of them, and is not longer for that. */
  readonly #refusals = new Map<CallPriority, number>();

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#level = options.hourlyBudget;
    this.#levelAt = options.clock.monotonic();
  }

  /** Returns how many calls of the budget are currently left. */
  remaining(): number {
    return Math.floor(this.#levelNow(this.#options.clock.monotonic()));
  }

  /**
   * Resolves when the call may start, and counts it. Rejects with the signal's reason.
   *
   * @param onWait called with the milliseconds before each wait; it may throw, so that the caller does not wait
   * @returns the milliseconds that the call waited
   */
  async admit(
    priority: CallPriority,
    signal?: StopSignal,
    onWait?: (waitMs: number) => void,
  ): Promise<number> {
    const { clock, random } = this.#options;
    const startedAt = clock.monotonic();
    for (;;) {
      const now = clock.monotonic();
      const waitMs = this.#waitMs(priority, now);
      if (waitMs <= 0) return now - startedAt;
      onWait?.(waitMs);
      const spread = Math.min(waitMs * spreadShare, longestSpreadMs) * random();
      await sleep(clock, Math.ceil(waitMs + spread), signal);
    }
  }

  /** Counts a call and returns true, if it may start at once. */
  tryAdmit(priority: CallPriority): boolean {
    return this.#waitMs(priority, this.#options.clock.monotonic()) <= 0;
  }

  /**
   * Counts a call that may start at once, and returns 0; otherwise returns the minimum number of milliseconds that the
   * call waits.
   */
  #waitMs(priority: CallPriority, now: number): number {
    const waitMs = this.#readyAt(priority, now) - now;
    if (waitMs > 0) return waitMs;
    this.#level = this.#levelNow(now) - 1;
    this.#levelAt = now;
    return 0;
  }

  /** Returns when a call may start, in milliseconds of the monotonic clock; not after `now` when it may start at once. */
  #readyAt(priority: CallPriority, now: number): number {
    const { hourlyBudget } = this.#options;
    const missing = hourlyBudget * reserve[priority] + 1 - this.#levelNow(now);
    const budgetAt = missing <= 0 ? now : now + (missing * hourMs) / hourlyBudget;
    return Math.max(budgetAt, this.#pausedUntil.get(priority) ?? 0);
  }

  /** Records an answer that is not a refusal because of the rate. */
  accepted(): void {
    this.#refusals.clear();
  }

  /**
   * Records that the host refused a call because of the rate, and pauses the calls of this priority and of lower ones. Renewals
   * pause for at most a minute.
   *
   * @param retryAfterMs the pause that the host requests; undefined or 0 for an exponential pause with full jitter
   * @returns the pause in milliseconds
   */
  refused(priority: CallPriority, retryAfterMs: number | undefined): number {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    const until = this.#pausedUntil.get(priority) ?? 0;
    /* A refused call is repeated at once after the pause: without one, it would use up the budget within minutes. */
    const asked = retryAfterMs === 0 ? undefined : retryAfterMs;
    /* Concurrent calls that are refused together count as one refusal. */
    if (asked === undefined && until > now) return until - now;
    const refusals = (this.#refusals.get(priority) ?? 0) + 1;
    this.#refusals.set(priority, refusals);
    const pauseMs =
      asked === undefined ? backoffMs(refusals, pause, random) : Math.min(asked, longestPauseMs);
    const ms = Math.max(shortestPauseMs, pauseMs);
    for (const later of callPriorities.slice(callPriorities.indexOf(priority))) {
      const heldMs = later === 'renew' ? Math.min(ms, longestRenewPauseMs) : ms;
      this.#pausedUntil.set(later, Math.max(this.#pausedUntil.get(later) ?? 0, now + heldMs));
    }
    return ms;
  }

  #levelNow(now: number): number {
    const { hourlyBudget } = this.#options;
    return Math.min(hourlyBudget, this.#level + ((now - this.#levelAt) * hourlyBudget) / hourMs);
  }
}
