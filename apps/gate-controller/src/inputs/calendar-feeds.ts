import { Problem, type Clock } from '@interlock/base';
import { CalendarFeed } from './calendar-feed.js';
import type { Reading } from './reading.js';
import { SharedRuns } from './shared-runs.js';

/** Calendars that the keepers of one namespace may read by URL: a keeper of a few lines keeps up to 1 MiB of text. */
const maxUrls = 20;

export interface FeedDependencies {
  clock: Clock;
  /**
   * Reads a calendar.
   *
   * @throws TypedError when the calendar cannot be read
   */
  fetchCalendar(url: string, signal: AbortSignal): Promise<string>;
}

/** The keepers of a namespace that name a URL. */
interface Namespace {
  /** The keepers whose calendar is read, by its URL. */
  readonly read: Map<string, Set<string>>;
  /** The URLs of the keepers for which there is no room. */
  readonly waiting: Map<string, string>;
}

/** The calendars that keepers read by URL. Keepers with the same URL share one. */
export class CalendarFeeds {
  readonly #runs = new SharedRuns<CalendarFeed>();
  readonly #namespaces = new Map<string, Namespace>();
  readonly #dependencies: FeedDependencies;
  readonly #changed: (keepers: readonly string[]) => void;

  /** @param changed called with the keepers whose reading has changed */
  constructor(dependencies: FeedDependencies, changed: (keepers: readonly string[]) => void) {
    this.#dependencies = dependencies;
    this.#changed = changed;
  }

  /**
   * Makes the calendar at a URL the only one that a keeper reads.
   *
   * @param keeper its namespace and name
   * @param url undefined if it reads none
   */
  follow(keeper: string, url: string | undefined): void {
    const name = namespaceOf(keeper);
    const namespace = this.#namespaces.get(name) ?? { read: new Map(), waiting: new Map() };
    const before = this.#runs.idOf(keeper);
    if (before === url && before !== undefined) return;
    namespace.waiting.delete(keeper);
    if (before !== undefined) this.#leave(keeper, before, namespace);
    if (url !== undefined && !this.#read(keeper, url, namespace)) namespace.waiting.set(keeper, url);
    /* After the keeper itself: one that changes its URL keeps its place. */
    const isFirst = url !== undefined && namespace.read.get(url)?.size === 1;
    if (before !== undefined || isFirst) this.#admitWaiting(namespace);
    if (namespace.read.size === 0) this.#namespaces.delete(name);
    else this.#namespaces.set(name, namespace);
  }

  /** Returns the text of the calendar that a keeper reads; undefined while it is not known. */
  readingOf(keeper: string): Reading<string> {
    const id = this.#runs.idOf(keeper);
    if (id !== undefined) return this.#runs.get(id)?.reading;
    return this.#namespaces.get(namespaceOf(keeper))?.waiting.has(keeper) === true ? tooMany : undefined;
  }

  /** Returns when the calendar that a keeper reads was read, in milliseconds since the epoch. */
  readAt(keeper: string): number | undefined {
    const id = this.#runs.idOf(keeper);
    return id === undefined ? undefined : this.#runs.get(id)?.readAt;
  }

  /** Reads all calendars periodically until `signal` aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#runs.run(signal);
  }

  /** Reads the calendar at a URL for a keeper. Returns whether there is room for it. */
  #read(keeper: string, url: string, { read }: Namespace): boolean {
    const keepers = read.get(url) ?? new Set();
    if (keepers.size === 0 && read.size >= maxUrls) return false;
    read.set(url, keepers.add(keeper));
    this.#runs.follow(keeper, url, () => this.#feedOf(url));
    return true;
  }

  #leave(keeper: string, url: string, { read }: Namespace): void {
    this.#runs.leave(keeper);
    const keepers = read.get(url);
    keepers?.delete(keeper);
    if (keepers?.size === 0) read.delete(url);
  }

  #admitWaiting(namespace: Namespace): void {
    const admitted = [...namespace.waiting].filter(([keeper, url]) => this.#read(keeper, url, namespace));
    for (const [keeper] of admitted) namespace.waiting.delete(keeper);
    this.#changed(admitted.map(([keeper]) => keeper));
  }

  #feedOf(url: string): CalendarFeed {
    const { clock, fetchCalendar } = this.#dependencies;
    const changed = (): void => this.#changed(this.#runs.ownersOf(url));
    return new CalendarFeed((signal) => fetchCalendar(url, signal), clock, changed);
  }
}

function namespaceOf(keeper: string): string {
  return keeper.slice(0, keeper.indexOf('/'));
}

const tooMany = new Problem(
  'LimitExceeded',
  `the GateKeepers of the namespace name more than ${maxUrls} URLs; let keepers share a calendar, or use ConfigMaps`,
  { transient: false },
);
