import type { Api, JournalEntry, Kind } from './journal.js';

/** Selects the requests that a fault affects; all given fields must match. */
export interface FaultMatch {
  api?: Api;
  kind?: Kind;
  method?: string;
  /** The route template, in full, such as `/repos/{owner}/{repo}/pulls/{pull_number}/merge`. */
  route?: string;
  /** The path without its query; `*` matches any characters. */
  path?: string;
  actor?: string;
}

/**
 * The effect of a fault, instead of the response or in addition to it. At most one effect on the response is allowed,
 * and at least one effect is required.
 */
export interface FaultEffect {
  /** Sends this response, and does not execute the request. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Drops the connection, and does not execute the request. */
  cutBeforeResponse?: boolean;
  /** Executes the request, and drops the connection instead of responding. */
  cutAfterEffect?: boolean;
  /** Refuses the request as a provider does whose rate limit is exhausted. */
  rateLimit?: 'primary' | 'secondary';
  /** Duration of the limit; default: 60 for a secondary limit, and the rest of the hour for the primary limit. */
  retryAfterSeconds?: number | undefined;
  /** Delay before any other effect. */
  latencyMs?: number;
  /** Called and awaited: with `cutAfterEffect` after the execution, otherwise before any other effect. */
  onHit?: () => void | Promise<void>;
}

export interface FaultRule extends FaultEffect {
  match?: FaultMatch | undefined;
  /** Number of matching requests that are not affected first; default: 0. */
  skip?: number;
  /** Number of requests that are affected then; default: 1. */
  times?: number;
}

export interface Fault {
  readonly id: number;
  /** Number of requests that it has affected. */
  readonly hits: number;
  remove(): void;
}

interface Armed {
  id: number;
  rule: FaultRule;
  seen: number;
  hits: number;
}

const maxFaults = 1000;

/** The faults that tests inject. */
export class Faults {
  readonly #armed = new Map<number, Armed>();
  #lastId = 0;

  /** @throws RangeError for a rule without an effect or with two effects, and beyond 1,000 rules. */
  add(rule: FaultRule): Fault {
    const effects = [rule.status, rule.cutBeforeResponse, rule.cutAfterEffect, rule.rateLimit];
    const count = effects.filter((effect) => effect !== undefined && effect !== false).length;
    if (count > 1 || (count === 0 && rule.latencyMs === undefined && rule.onHit === undefined)) {
      throw new RangeError(
        'a fault has one of status, cutBeforeResponse, cutAfterEffect, rateLimit, or latencyMs or onHit',
      );
    }
    if (this.#armed.size >= maxFaults) throw new RangeError(`more than ${maxFaults} faults`);
    const armed = { id: ++this.#lastId, rule, seen: 0, hits: 0 };
    this.#armed.set(armed.id, armed);
    return {
      id: armed.id,
      get hits() {
        return armed.hits;
      },
      remove: () => void this.#armed.delete(armed.id),
    };
  }

  clear(): void {
    this.#armed.clear();
  }

  /** Returns the first rule that affects this request, and counts the use. */
  take(
    request: Pick<JournalEntry, 'api' | 'kind' | 'method' | 'route' | 'path' | 'actor'>,
  ): Armed | undefined {
    for (const armed of this.#armed.values()) {
      const { skip = 0, times = 1, match = {} } = armed.rule;
      if (!matches(request, match)) continue;
      armed.seen++;
      if (armed.seen <= skip) continue;
      armed.hits++;
      if (armed.hits >= times) this.#armed.delete(armed.id);
      return armed;
    }
    return undefined;
  }
}

function matches(
  request: Pick<JournalEntry, 'api' | 'kind' | 'method' | 'route' | 'path' | 'actor'>,
  match: FaultMatch,
): boolean {
  const { path, ...exact } = match;
  for (const [key, value] of Object.entries(exact)) {
    if (value !== undefined && request[key as keyof typeof exact] !== value) return false;
  }
  return path === undefined || pattern(path).test(request.path.replace(/\?.*$/, ''));
}

function pattern(path: string): RegExp {
  return new RegExp(
    `^${path
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
}
