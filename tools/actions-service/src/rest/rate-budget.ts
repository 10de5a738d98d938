import type { Clock } from '@interlock/base';
import type { Installation } from '../domain/model.js';
import { Refused } from '../record/refused.js';

const windowMs = 3_600_000;

interface RateStatus {
  limit: number;
  remaining: number;
  used: number;
  /** Seconds since the epoch. */
  reset: number;
}

/** The requests that an installation may send in an hour. */
export class RateBudget {
  readonly #clock: Clock;
  readonly #limit: number;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /**
   * Uses one request, and returns the headers that state how many are left.
   *
   * @throws Refused 403 when none is left.
   */
  take(installation: Installation): Record<string, string> {
    this.#renew(installation);
    const { budget } = installation;
    const isEmpty = budget.used >= this.#limit;
    if (!isEmpty) budget.used++;
    const headers = headersOf(this.status(installation));
    if (!isEmpty) return headers;
    throw new Refused(403, `API rate limit exceeded for installation ID ${String(installation.id)}.`, {
      headers,
    });
  }

  status(installation: Installation): RateStatus {
    this.#renew(installation);
    const { used, resetsAt } = installation.budget;
    return { limit: this.#limit, remaining: this.#limit - used, used, reset: Math.ceil(resetsAt / 1000) };
  }

  #renew({ budget }: Installation): void {
    const now = this.#clock.now();
    if (now < budget.resetsAt) return;
    budget.used = 0;
    budget.resetsAt = now + windowMs;
  }
}

function headersOf({ limit, remaining, used, reset }: RateStatus): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': 'core',
  };
}
