import { TypedError } from '@interlock/api';
import { abortReason, type Clock } from '@interlock/base';
import { Budget, priorities, type Demand, type Priority, type RateLimit, type WritePace } from './budget.js';

export interface GovernorOptions {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Calls in flight at once; one place is reserved for critical calls. */
  concurrency: number;
  /** Calls that may wait; a further call displaces the least urgent one. */
  queueLimit: number;
  /**
   * Milliseconds that a call may wait here. A call that would wait longer is refused with `RateLimited` and the time.
   */
  maxWaitMs: number;
  writes: WritePace;
}

interface GovernedCall extends Demand {
  signal?: AbortSignal | undefined;
}

/** The reason of `RateLimited` when a call waits because of the content that was created in the last hour. */
export const contentLimit = 'ContentLimit';

/** Milliseconds. */
const longestBacklogMs = 5 * 60_000;

interface Waiting {
  call: GovernedCall;
  deadline: number;
  grant: () => void;
  refuse: (error: Error) => void;
}

/**
 * Lets the calls of one credential through, in the order of their priority, as fast as the SCM allows. All users of a
 * credential in a process share one governor, so the limits that one of them receives (`Retry-After`, the remaining calls)
 * apply to all.
 */
export class Governor {
  readonly #options: GovernorOptions;
  readonly #budget: Budget;
  readonly #queues = new Map<Priority, Waiting[]>(priorities.map((priority) => [priority, []]));
  #active = 0;
  #timer: { cancel(): void } | undefined;

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#budget = new Budget(options.writes);
  }

  /** Calls that wait. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /**
   * Runs `task` when it is its turn.
   *
   * @returns what `task` returns.
   * @throws TypedError `RateLimited`, with `retryAfterMs`, when the turn would not come within `maxWaitMs` or the
   *   queue is full; the task was not started then. Rejects with the signal's reason when aborted while it waits.
   */
  async run<T>(call: GovernedCall, task: () => Promise<T>): Promise<T> {
    await this.#turn(call);
    try {
      return await task();
    } finally {
      this.#active -= 1;
      this.#pump();
    }
  }

  /** Records the rate limit of a response. */
  learn(limit: RateLimit): void {
    const { clock } = this.#options;
    const resetAt = limit.resetAt - clock.now() + clock.monotonic();
    this.#budget.learn({ ...limit, resetAt }, clock.monotonic());
  }

  /** Records a response that was not a refusal because of the rate limit. */
  accepted(): void {
    this.#budget.accepted();
  }

  /**
   * Records that the SCM refused a call because of the rate limit, which applies to every call of the credential.
   * Returns milliseconds of the pause.
   */
  refused(retryAfterMs: number | undefined): number {
    return this.#budget.refused(this.#options.clock.monotonic(), retryAfterMs);
  }

  #turn(call: GovernedCall): Promise<void> {
    const { signal } = call;
    if (signal?.aborted === true) return Promise.reject(abortReason(signal));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (signal !== undefined) this.#settle(waiting, () => reject(abortReason(signal)));
        this.#pump();
      };
      const done = (): void => signal?.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        call,
        deadline: this.#options.clock.monotonic() + this.#options.maxWaitMs,
        grant: () => {
          done();
          resolve();
        },
        refuse: (error) => {
          done();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queueOf(call).push(waiting);
      this.#pump();
      this.#shed();
    });
  }

  /** Starts the calls that may start, refuses those that cannot start in time, and sets the timer for the rest. */
  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const now = this.#options.clock.monotonic();
    let next = Infinity;
    for (const waiting of [...this.#queues.values()].flat()) {
      const readyAt = this.#budget.readyAt(waiting.call, now);
      if (readyAt <= now && this.#active < this.#places(waiting.call.priority)) {
        this.#active += 1;
        this.#budget.spend(waiting.call, now);
        this.#settle(waiting, waiting.grant);
      } else if (readyAt > waiting.deadline || waiting.deadline <= now) {
        this.#settle(waiting, () => waiting.refuse(this.#refusal(waiting.call, now)));
      } else {
        next = Math.min(next, readyAt > now ? readyAt : Infinity, waiting.deadline);
      }
    }
    if (next !== Infinity) this.#timer = this.#options.clock.setTimeout(() => this.#pump(), next - now);
  }

  /**
   * Returns the number of places for calls of a priority. Slow polls must not delay a merge, so the last place is
   * reserved for critical calls.
   */
  #places(priority: Priority): number {
    const { concurrency } = this.#options;
    return priority === 'critical' ? concurrency : Math.max(1, concurrency - 1);
  }

  /** Keeps the queue bounded: the newest of the least urgent calls is refused. */
  #shed(): void {
    if (this.waiting <= this.#options.queueLimit) return;
    for (const priority of [...priorities].reverse()) {
      const last = this.#queues.get(priority)?.at(-1);
      if (last === undefined) continue;
      this.#settle(last, () => last.refuse(this.#busy()));
      return;
    }
  }

  #settle(waiting: Waiting, how: () => void): void {
    const queue = this.#queueOf(waiting.call);
    const index = queue.indexOf(waiting);
    if (index >= 0) queue.splice(index, 1);
    how();
  }

  #queueOf(call: GovernedCall): Waiting[] {
    const queue = this.#queues.get(call.priority);
    if (queue === undefined) throw new RangeError(`unknown priority ${call.priority}`);
    return queue;
  }

  #refusal(call: GovernedCall, now: number): TypedError {
    const limitedFor = this.#budget.limitedUntil(call.priority, now) - now;
    if (limitedFor > 0) return this.#limited(limitedFor);
    const contentFor = this.#budget.contentUntil(call, now) - now;
    return contentFor > 0 ? this.#contentSpent(contentFor) : this.#busy();
  }

  /** Returns the error for a spent content limit. Its message does not change, because conditions contain it. */
  #contentSpent(waitMs: number): TypedError {
    const { writes, random } = this.#options;
    return new TypedError(
      'RateLimited',
      `deferred: the credential has created as much content as the SCM allows per hour (${writes.contentPerHour}); merges have priority over pull requests, and pull requests over text`,
      { reason: contentLimit, retryAfterMs: Math.ceil(waitMs + Math.min(waitMs * 0.1, 30_000) * random()) },
    );
  }

  /**
   * Returns the error for a call that waits for the rate limit. Callers that are refused at the same moment must not
   * return at the same moment.
   */
  #limited(waitMs: number): TypedError {
    const spread = Math.min(waitMs * 0.1, 30_000) * this.#options.random();
    const seconds = Math.ceil(waitMs / 1000);
    return new TypedError('RateLimited', `the rate limit of the credential is used up for ${seconds} s`, {
      retryAfterMs: Math.ceil(waitMs + spread),
    });
  }

  /** Spreads a backlog over the time that it would take if all calls were writes. */
  #busy(): TypedError {
    const { writes, maxWaitMs, random } = this.#options;
    const backlogMs = Math.min(((this.waiting + 1) * 1000) / writes.perSecond, longestBacklogMs);
    return new TypedError('RateLimited', `${this.waiting + 1} calls are waiting for the credential`, {
      reason: 'Busy',
      retryAfterMs: Math.ceil(Math.max(maxWaitMs, backlogMs) * (0.5 + random() / 2)),
    });
  }
}
