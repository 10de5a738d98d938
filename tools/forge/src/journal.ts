import { createHash } from 'node:crypto';
import type { WallClock } from './clock.js';

export type Api = 'rest' | 'git' | 'web' | 'control';
export type Kind = 'read' | 'write';

/** A request that the forge received. */
export interface JournalEntry {
  /** Sequence number, starting at 1. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  api: Api;
  kind: Kind;
  method: string;
  /** Path and query, unchanged. */
  path: string;
  /** The path with its variable segments as `{name}`. */
  route: string;
  /** Login of the caller, `app:<slug>` for an App itself, or `anonymous`. */
  actor: string;
  /** Status of the response; 0 until there is one, and if the connection was dropped. */
  status: number;
  /** Milliseconds until the response was ready. */
  durationMs: number;
  /** SHA-256 of the body in hexadecimal; absent if there is no body, and for git. */
  digest?: string;
  /** A JSON body without its secrets, truncated to 2,000 characters; for git, the changed references. */
  summary?: string;
  /** Id of the fault that was injected. */
  fault?: number;
}

interface JournalFilter {
  /** Only entries after this `seq`. */
  since?: number;
  api?: Api;
  kind?: Kind;
  method?: string;
  /** The route template, in full. */
  route?: string;
  actor?: string;
}

const capacity = 50_000;
const maxSummaryLength = 2_000;

/** The requests to the forge in the order of arrival. Beyond 50,000 entries, the oldest are removed. */
export class Journal {
  #entries: JournalEntry[] = [];
  #seq = 0;

  constructor(readonly clock: WallClock) {}

  /** The number of the newest entry, for use as `since` later. */
  get seq(): number {
    return this.#seq;
  }

  begin(entry: Omit<JournalEntry, 'seq' | 'at' | 'status' | 'durationMs'>): JournalEntry {
    const begun = { seq: ++this.#seq, at: this.clock.now(), status: 0, durationMs: 0, ...entry };
    this.#entries.push(begun);
    if (this.#entries.length > capacity) this.#entries = this.#entries.slice(-capacity / 2);
    return begun;
  }

  end(entry: JournalEntry, status: number): void {
    entry.status = status;
    entry.durationMs = this.clock.now() - entry.at;
  }

  /** Returns copies of the matching entries, oldest first. Requests to the control API are included only on demand. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    return this.#entries.filter((entry) => matches(entry, filter)).map((entry) => ({ ...entry }));
  }

  count(filter: JournalFilter = {}): number {
    return this.#entries.reduce((count, entry) => count + (matches(entry, filter) ? 1 : 0), 0);
  }
}

function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return (
    entry.seq > (filter.since ?? 0) &&
    (filter.api === undefined ? entry.api !== 'control' : entry.api === filter.api) &&
    (filter.kind === undefined || entry.kind === filter.kind) &&
    (filter.method === undefined || entry.method === filter.method) &&
    (filter.route === undefined || entry.route === filter.route) &&
    (filter.actor === undefined || entry.actor === filter.actor)
  );
}

/** Returns the part of a request body that the journal contains. */
export function describeBody(body: Buffer): Pick<JournalEntry, 'digest' | 'summary'> {
  if (body.length === 0) return {};
  const digest = createHash('sha256').update(body).digest('hex');
  try {
    const value: unknown = JSON.parse(body.toString('utf8'), (key, inner: unknown) =>
      /secret|token|password/i.test(key) ? '[redacted]' : inner,
    );
    return { digest, summary: JSON.stringify(value).slice(0, maxSummaryLength) };
  } catch {
    return { digest };
  }
}
