import { matchesWildcard, type Clock } from '@interlock/base';
import type { SeededRandom } from '../random.js';
import type { RequestEntry, SubjectKind } from '../record/request-journal.js';
import type { Base } from '../options.js';

/** The requests that a fault affects; all given fields must match. */
export interface ServiceFaultMatch {
  base?: Base | undefined;
  method?: string | undefined;
  /** The template of the route, such as `/broker/message`; `*` matches any text. */
  route?: string | undefined;
  /** The path with its query; `*` matches any text. */
  path?: string | undefined;
  subject?: SubjectKind | undefined;
  /** Id of the runner whose credential the request carries. */
  runner?: number | undefined;
  session?: string | undefined;
}

/** The effect on a request, instead of or in addition to its answer. */
export type ServiceFaultEffect =
  /** Answers with this status, without any other effect. */
  | { kind: 'status'; status: number; headers?: Record<string, string> | undefined; body?: unknown }
  /** Answers 429; `retryAfter` is the format of the time in the header, and `seconds` (default 60) is the time. */
  | {
      kind: 'too-many-requests';
      retryAfter: 'seconds' | 'date' | 'absent' | 'absurd' | 'negative';
      seconds?: number | undefined;
    }
  /** Answers 403 as REST does beyond the limit of requests, which is reset after `seconds` (default 60). */
  | { kind: 'primary-limit'; seconds?: number | undefined }
  /** Answers 403 as REST does for too many requests at a time. */
  | { kind: 'secondary-limit'; seconds?: number | undefined }
  | { kind: 'unauthorized' }
  /** Ends the connection before the request is handled. */
  | { kind: 'reset' }
  /** Handles the request, and ends the connection instead of answering. */
  | { kind: 'reset-after-commit' }
  /** Neither handles the request nor answers. */
  | { kind: 'hang' }
  /** Answers one byte per second. */
  | { kind: 'slow-body' }
  /** Ends the connection in the middle of the body. */
  | { kind: 'truncated-body' }
  /** Answers as `text/html`. */
  | { kind: 'wrong-content-type' }
  /** Answers 502 with a page, as a proxy does. */
  | { kind: 'html' }
  /** Answers 202 at once, as to a poll without a message. */
  | { kind: 'empty' }
  /** Answers 200 with JSON of this many bytes (default 64 MiB). */
  | { kind: 'huge-body'; bytes?: number | undefined };

interface ServiceFaultRule {
  match?: ServiceFaultMatch | undefined;
  effect: ServiceFaultEffect;
  /** How many matching requests pass first; default: 0. */
  skip?: number | undefined;
  /** How many of the following requests are affected; default: 1; `Infinity`: all. */
  times?: number | undefined;
  /** The probability that a matching request is affected; default: 1. */
  probability?: number | undefined;
  /** Milliseconds from now until the fault begins; default: 0. */
  afterMs?: number | undefined;
  /** Milliseconds that the fault lasts from its beginning; default: without an end. */
  forMs?: number | undefined;
}

interface ServiceFault {
  readonly id: number;
  /** How many requests were affected. */
  readonly hits: number;
  remove(): void;
}

interface ArmedRule {
  rule: ServiceFaultRule;
  from: number;
  until: number;
  seen: number;
  hits: number;
}

const mostRules = 1_000;

/** The faults that a test injects. */
export class ServiceFaults {
  readonly #armed = new Map<number, ArmedRule>();
  readonly #clock: Clock;
  readonly #random: SeededRandom;
  #lastId = 0;

  constructor(clock: Clock, random: SeededRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  /** @throws RangeError beyond 1,000 rules. */
  add(rule: ServiceFaultRule): ServiceFault {
    if (this.#armed.size >= mostRules) throw new RangeError(`more than ${String(mostRules)} faults`);
    const from = this.#clock.monotonic() + (rule.afterMs ?? 0);
    const armed = { rule, from, until: from + (rule.forMs ?? Infinity), seen: 0, hits: 0 };
    const id = ++this.#lastId;
    this.#armed.set(id, armed);
    return {
      id,
      get hits() {
        return armed.hits;
      },
      remove: () => void this.#armed.delete(id),
    };
  }

  remove(id: number): boolean {
    return this.#armed.delete(id);
  }

  clear(): void {
    this.#armed.clear();
  }

  /** Returns the effect of the first rule that affects a request, and counts it. */
  take(entry: RequestEntry): ServiceFaultEffect | undefined {
    const now = this.#clock.monotonic();
    for (const [id, armed] of this.#armed) {
      if (now >= armed.until) this.#armed.delete(id);
      else if (now >= armed.from && this.#affects(armed, entry)) {
        armed.hits++;
        if (armed.hits >= (armed.rule.times ?? 1)) this.#armed.delete(id);
        return armed.rule.effect;
      }
    }
    return undefined;
  }

  #affects(armed: ArmedRule, entry: RequestEntry): boolean {
    const { match = {}, skip = 0, probability = 1 } = armed.rule;
    if (!matchesFault(match, entry) || ++armed.seen <= skip) return false;
    return probability >= 1 || this.#random.next() < probability;
  }
}

function matchesFault(match: ServiceFaultMatch, entry: RequestEntry): boolean {
  const { subject } = entry;
  return (
    (match.base === undefined || match.base === entry.base) &&
    (match.method === undefined || match.method === entry.method) &&
    (match.route === undefined || matchesWildcard(match.route, entry.route)) &&
    (match.path === undefined || matchesWildcard(match.path, entry.path)) &&
    (match.subject === undefined || match.subject === subject.kind) &&
    (match.runner === undefined || (subject.kind === 'runner' && subject.id === String(match.runner))) &&
    (match.session === undefined || match.session === entry.session)
  );
}
