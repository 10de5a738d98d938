import { backoffMs, sleep, type Clock, type StopSignal } from '@interlock/base';

/** What a call is for. Earlier ones may use the part of the budget that later ones must leave, and no pause of a later one holds them. */
export const callPriorities = ['renew', 'complete', 'acquire', 'session', 'poll', 'register'] as const;
export type CallPriority = (typeof callPriorities)[number];

interface GovernorOptions {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Calls per hour. */
  hourlyBudget: number;
}

/** The share of the budget that a priority leaves to those before it. */
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
/** A lock that is not renewed for ten minutes costs its job, so renewals are repeated whatever the host asks for. */
const longestRenewPauseMs = 60_000;
const pause = { baseMs: 10_000, maxMs: 5 * 60_000 };
const shortestPauseMs = 1_000;
/** Those who wait for one moment start within this share of the wait after it, at most 30 s. */
const spreadShare = 0.1;
const longestSpreadMs = 30_000;

/**
 * The rate of the calls to one host: a budget that refills evenly, and the pauses that the host asks for, shared by all callers.
 * A pause that a poll meets holds polls and what comes after them, so that no renewal waits for it.
 */
export class Governor {
  readonly #options: GovernorOptions;
  readonly #pausedUntil = new Map<CallPriority, number>();
  #level: number;
  #levelAt: number;
  #refusals = 0;

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#level = options.hourlyBudget;
    this.#levelAt = options.clock.monotonic();
  }

  /** Returns how many calls of the budget are left now. */
  remaining(): number {
    return Math.floor(this.#levelNow(this.#options.clock.monotonic()));
  }

  /**
   * Resolves when the call may start, and counts it. Rejects with the signal's reason.
   *
   * @returns milliseconds that it waited
   */
  async admit(priority: CallPriority, signal?: StopSignal): Promise<number> {
    const { clock, random } = this.#options;
    const startedAt = clock.monotonic();
    for (;;) {
      const now = clock.monotonic();
      const waitMs = this.#readyAt(priority, now) - now;
      if (waitMs <= 0) {
        this.#level = this.#levelNow(now) - 1;
        this.#levelAt = now;
        return now - startedAt;
      }
      const spread = Math.min(waitMs * spreadShare, longestSpreadMs) * random();
      await sleep(clock, Math.ceil(waitMs + spread), signal);
    }
  }

  /** Returns when a call may start, in milliseconds of the monotonic clock; not after `now` when it may start at once. */
  #readyAt(priority: CallPriority, now: number): number {
    const { hourlyBudget } = this.#options;
    const missing = hourlyBudget * reserve[priority] + 1 - this.#levelNow(now);
    const budgetAt = missing <= 0 ? now : now + (missing * hourMs) / hourlyBudget;
    return Math.max(budgetAt, this.#pausedUntil.get(priority) ?? 0);
  }

  /** An answer came that is not a refusal for the rate. */
  accepted(): void {
    this.#refusals = 0;
  }

  /**
   * The host refused a call for its rate; holds for calls of that priority and later ones. Renewals are held for a minute at most.
   *
   * @param retryAfterMs what the host asks for; undefined: exponential with full jitter
   * @returns milliseconds of the pause
   */
  refused(priority: CallPriority, retryAfterMs: number | undefined): number {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    const until = this.#pausedUntil.get(priority) ?? 0;
    /* Calls that were under way together are refused together: that is one refusal. */
    if (retryAfterMs === undefined && until > now) return until - now;
    this.#refusals += 1;
    const ms =
      retryAfterMs === undefined
        ? Math.max(shortestPauseMs, backoffMs(this.#refusals, pause, random))
        : Math.min(retryAfterMs, longestPauseMs);
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
