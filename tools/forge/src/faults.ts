import type { Api, JournalEntry, Kind } from './journal.js';

/** Which requests a fault is for; all that is given must hold. */
export interface FaultMatch {
  api?: Api;
  kind?: Kind;
  method?: string;
  /** The route template, in full, such as `/repos/{owner}/{repo}/pulls/{pull_number}/merge`. */
  route?: string;
  /** The path without its query; `*` stands for any characters. */
  path?: string;
  actor?: string;
}

/** What happens instead of, or beside, the answer. At most one of the effects on the answer; at least something. */
export interface FaultEffect {
  /** Answer so, without any effect. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Drop the connection, without any effect. */
  cutBeforeResponse?: boolean;
  /** Do what is asked, and drop the connection instead of answering. */
  cutAfterEffect?: boolean;
  /** Refuse as a provider does whose limit of requests is exhausted. */
  rateLimit?: 'primary' | 'secondary';
  /** How long it lasts; default: 60 for a secondary limit, until the hour ends for the primary one. */
  retryAfterSeconds?: number;
  /** Wait before anything else. */
  latencyMs?: number;
  /** Called and waited for: with `cutAfterEffect` after the effect, otherwise before anything else. */
  onHit?: () => void | Promise<void>;
}

export interface FaultRule extends FaultEffect {
  match?: FaultMatch;
  /** How many matching requests pass unharmed first; default 0. */
  skip?: number;
  /** How many are then affected; default 1. */
  times?: number;
}

export interface Fault {
  readonly id: number;
  /** How many requests it has affected. */
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

/** Faults that tests ask for. */
export class Faults {
  readonly #armed = new Map<number, Armed>();
  #lastId = 0;

  /** @throws RangeError for a rule that does nothing or two things at once, and beyond 1,000 rules. */
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

  /** Returns the first rule that affects this request, used up by one. */
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
