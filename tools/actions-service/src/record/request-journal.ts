import type { Clock } from '@interlock/base';
import type { Base } from '../options.js';
import { Ring } from './ring.js';

export type SubjectKind =
  'anonymous' | 'app' | 'installation' | 'registration' | 'removal' | 'tenant' | 'runner' | 'job' | 'unknown';

/** The owner of a credential; the credential itself is never recorded. */
export interface RequestSubject {
  kind: SubjectKind;
  /** Id of the App, installation or runner, scope of a registration, delivery of a job; empty without a credential. */
  id: string;
}

/** One request, and its outcome. */
export interface RequestEntry {
  /** Counts up from 1. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  base: Base;
  /** Base of the port that the request reached; undefined if one port serves all bases. */
  port: Base | undefined;
  method: string;
  /** Path and query, at most 2,000 characters. */
  path: string;
  /** The route with its parameters as `{name}`; empty when there is none. */
  route: string;
  subject: RequestSubject;
  /** Account that the credential belongs to; undefined when it belongs to none. */
  owner: string | undefined;
  /** Id of the session of a poll or an acknowledgement. */
  session: string | undefined;
  /** Status of the answer; 0 before the answer, and when the connection ended without an answer. */
  status: number;
  connection: number;
  /** Address that the connection comes from. */
  client: string;
  protocol: 'http/1.1' | 'h2';
  /** Whether the client ended the request before it received the answer. */
  aborted: boolean;
  /** Kind of the fault that was injected. */
  fault: string | undefined;
  /** Milliseconds until the answer; undefined while there is none. */
  durationMs: number | undefined;
}

type RequestFilter = Partial<
  Pick<
    RequestEntry,
    'base' | 'port' | 'method' | 'route' | 'status' | 'connection' | 'client' | 'owner' | 'session'
  >
> & {
  /** Only entries after this `seq`. */
  since?: number | undefined;
  subject?: Partial<RequestSubject> | undefined;
};

/** Every request that reached the service: the newest in full, all of them as counts by route and status. */
export class RequestJournal {
  readonly #ring: Ring<RequestEntry>;
  readonly #counts = new Map<string, number>();

  constructor(
    readonly clock: Clock,
    limit: number,
  ) {
    this.#ring = new Ring(limit);
  }

  /** Number of the newest entry. */
  get seq(): number {
    return this.#ring.total;
  }

  begin(
    entry: Pick<RequestEntry, 'base' | 'port' | 'method' | 'path' | 'connection' | 'client' | 'protocol'>,
  ): RequestEntry {
    const begun: RequestEntry = {
      ...entry,
      path: entry.path.slice(0, 2_000),
      seq: this.#ring.total + 1,
      at: this.clock.now(),
      route: '',
      subject: { kind: 'anonymous', id: '' },
      owner: undefined,
      session: undefined,
      status: 0,
      aborted: false,
      fault: undefined,
      durationMs: undefined,
    };
    this.#ring.add(begun);
    return begun;
  }

  /** Completes an entry; only the first call counts. */
  end(entry: RequestEntry, status: number, aborted = false): void {
    if (entry.durationMs !== undefined) return;
    entry.status = status;
    entry.aborted = aborted;
    entry.durationMs = this.clock.now() - entry.at;
    const key = `${entry.route === '' ? `unknown ${entry.base}` : entry.route} ${aborted ? 'aborted' : String(status)}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Returns copies of the entries that match, oldest first. */
  entries(filter: RequestFilter = {}): RequestEntry[] {
    return this.#ring
      .toArray()
      .filter((entry) => matchesFilter(entry, filter))
      .map((entry) => ({ ...entry, subject: { ...entry.subject } }));
  }

  /** Returns the number of requests by `<route> <status>`; for requests that clients ended, the status is `aborted`. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}

function matchesFilter(entry: RequestEntry, { since = 0, subject = {}, ...exact }: RequestFilter): boolean {
  return (
    entry.seq > since &&
    Object.entries(subject).every(
      ([key, value]) => value === undefined || entry.subject[key as keyof RequestSubject] === value,
    ) &&
    Object.entries(exact).every(
      ([key, value]) => value === undefined || entry[key as keyof typeof exact] === value,
    )
  );
}
