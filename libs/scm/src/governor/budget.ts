/**
 * The priority of a call. Calls of earlier priorities in the list go first, and may use the part of the rate limit
 * that later priorities must leave.
 *
 * - `critical`: merges and the renewal of tokens, without which nothing else works.
 * - `write`: pull requests and labels.
 * - `status`: commit statuses.
 * - `text`: titles, descriptions, labels and comments.
 * - `read`: polls.
 */
export const priorities = ['critical', 'write', 'status', 'text', 'read'] as const;
export type Priority = (typeof priorities)[number];

/** The share of the limit that a priority leaves to the priorities before it. */
const reserve: Record<Priority, number> = { critical: 0, write: 0.02, status: 0.05, text: 0.07, read: 0.1 };

/**
 * The share of the hourly limit of content that a priority leaves to the priorities before it. Commit statuses do not
 * cause notifications, and are not content.
 */
const contentReserve: Partial<Record<Priority, number>> = { critical: 0, write: 0.1, text: 0.3 };

/** The rate limit of a credential, as the SCM last reported it. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Milliseconds: since the epoch where an SCM states it, and of the monotonic clock in a {@link Budget}. */
  resetAt: number;
}

/** How fast calls that change something may follow each other: `burst` at once, then `perSecond`. */
export interface WritePace {
  burst: number;
  perSecond: number;
  /** Calls in any hour that create content, including merges; default: no limit. */
  contentPerHour?: number | undefined;
}

/** The properties of a call that the budget depends on. */
export interface Demand {
  priority: Priority;
  /** Whether the call changes something at the SCM. */
  mutates: boolean;
}

const hourMs = 3_600_000;
const firstPauseMs = 60_000;
const longestGuessMs = 15 * 60_000;
/** The longest window of any SCM; a longer reset in a response is ignored. */
const longestPauseMs = 60 * 60_000;
/** Resets are in whole seconds of another clock; two resets that are closer than this belong to the same window. */
const sameWindowMs = 5_000;

/**
 * The rate limits of one credential. It has neither a timer nor a clock: every method takes the time, in milliseconds
 * of a clock that is never set back.
 */
export class Budget {
  readonly #pace: WritePace;
  #known: RateLimit | undefined;
  #pausedUntil = 0;
  #refusals = 0;
  /** When the bucket of writes is full again (the theoretical arrival time of the generic cell rate algorithm). */
  #writesSettledAt = 0;
  /** When content was created in the last hour, oldest first. */
  #contentAt: number[] = [];

  constructor(pace: WritePace) {
    this.#pace = pace;
  }

  /** Returns the first moment at which the call may start; not after `now` when it may start at once. */
  readyAt(demand: Demand, now: number): number {
    return Math.max(
      this.limitedUntil(demand.priority, now),
      this.#pacedUntil(demand),
      this.contentUntil(demand, now),
    );
  }

  /** Returns until when the content limit delays a call; not after `now` if it does not. */
  contentUntil({ priority, mutates }: Demand, now: number): number {
    const { contentPerHour } = this.#pace;
    const left = contentReserve[priority];
    if (!mutates || contentPerHour === undefined || left === undefined) return 0;
    const inHour = this.#contentOf(now);
    const allowed = Math.max(1, Math.floor(contentPerHour * (1 - left)));
    const oldest = inHour[inHour.length - allowed];
    return oldest === undefined ? 0 : oldest + hourMs;
  }

  /** Returns until when the SCM's limit delays calls of that priority, apart from the pace of this process. */
  limitedUntil(priority: Priority, now: number): number {
    const known = this.#known;
    if (known === undefined || known.resetAt <= now) return this.#pausedUntil;
    const spare = known.remaining > known.limit * reserve[priority];
    return spare ? this.#pausedUntil : Math.max(this.#pausedUntil, known.resetAt);
  }

  /** Accounts for a call that starts. */
  spend(demand: Demand, now: number): void {
    if (this.#known !== undefined) this.#known.remaining -= 1;
    if (demand.mutates && demand.priority in contentReserve) this.#contentOf(now).push(now);
    if (demand.mutates) {
      this.#writesSettledAt = Math.max(now, this.#writesSettledAt) + 1000 / this.#pace.perSecond;
    }
  }

  /**
   * Records the limit from a response. Responses may arrive out of order: inside one window the lower count is valid, and a
   * response from an earlier window is ignored.
   */
  learn(limit: RateLimit, now: number): void {
    const resetAt = Math.min(limit.resetAt, now + longestPauseMs);
    const known = this.#known !== undefined && this.#known.resetAt > now ? this.#known : undefined;
    const apart = known === undefined ? Infinity : resetAt - known.resetAt;
    if (apart < -sameWindowMs) return;
    const remaining =
      known !== undefined && apart <= sameWindowMs
        ? Math.min(known.remaining, limit.remaining)
        : limit.remaining;
    this.#known = { limit: limit.limit, remaining, resetAt: Math.max(resetAt, known?.resetAt ?? 0) };
  }

  /** Records a response that was not a refusal, which ends a series of refusals. */
  accepted(): void {
    this.#refusals = 0;
  }

  /**
   * Records that the SCM refused a call because of the rate limit. Without `retryAfterMs` the pause is a minute,
   * doubled with every refusal in a row (GitHub, "Rate limits for the REST API": at least one minute, then
   * exponentially longer).
   *
   * @returns milliseconds of the pause.
   */
  refused(now: number, retryAfterMs: number | undefined): number {
    const guess = Math.min(longestGuessMs, firstPauseMs * 2 ** this.#refusals);
    this.#refusals += 1;
    const pause = Math.min(retryAfterMs ?? guess, longestPauseMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    return pause;
  }

  #contentOf(now: number): number[] {
    const first = this.#contentAt.findIndex((at) => at + hourMs > now);
    this.#contentAt = first < 0 ? [] : this.#contentAt.slice(first);
    return this.#contentAt;
  }

  #pacedUntil(demand: Demand): number {
    if (!demand.mutates || demand.priority === 'critical') return 0;
    return this.#writesSettledAt - ((this.#pace.burst - 1) * 1000) / this.#pace.perSecond;
  }
}
