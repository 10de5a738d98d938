import { isTyped, messageOf, type Kind, type KubeObject } from '@interlock/api';
import { delay, onAbort, type Clock, type Logger } from '@interlock/base';
import { ApiError, isExpired, networkReason } from '../client/api-error.js';
import type { Client, WatchEvent } from '../client/types.js';
import type { CacheMetrics, WatchEnd } from './metrics.js';
import { ReconnectBackoff } from './reconnect.js';
import { Watchdog } from './watchdog.js';

export type ObjectEvent<T> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>;

/** The receiver of what a reflector reads. */
export interface ReflectorSink<T> {
  /** Receives one page of a list; it does not count before `listed` is called. */
  page(objects: readonly T[]): void;
  /** Reports that the list is complete: objects that were on none of its pages are gone. Nothing else is reported meanwhile. */
  listed(startedAt: number): Promise<void>;
  /** Reports that the list failed: its pages are void. */
  listFailed(): void;
  changed(event: ObjectEvent<T>): void;
  /** Reports that the server sent the progress of the watch. */
  heard(): void;
}

interface ReflectorOptions<T extends KubeObject> {
  client: Client;
  kind: Kind<T>;
  scope: {
    namespace?: string | undefined;
    labelSelector?: string | undefined;
    fieldSelector?: string | undefined;
    metadataOnly?: boolean;
  };
  sink: ReflectorSink<T>;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  log: Logger;
  metrics: CacheMetrics;
}

/** API servers send a bookmark about every minute. */
export const idleTimeoutMs = 180_000;
/** Watches of one process end at different times, so that they are not all resumed at once. */
const watchSeconds = { min: 300, max: 600 };
/**
 * A watch that ends earlier without a new event counts as a failure; otherwise a server that ends each watch at once, or
 * after a bookmark or a repeated event, would be flooded with requests.
 */
const shortWatchMs = 1000;
/**
 * Milliseconds for which a watch may be silent before a list is due. A server that was restored from an older backup
 * does not know the position yet: it accepts watches from that position, and sends nothing until it reaches the
 * position.
 */
const silenceBeforeRelistMs = 2 * idleTimeoutMs;
/** The cache grows old while the reflector waits. */
const longestRetryAfterMs = 60_000;
/** Number of consecutive errors after which the position is no longer trusted. */
const refusalsBeforeRelist = 5;

/**
 * Lists a kind, then watches it and continues from the last position as long as possible. A list is repeated only when
 * the server no longer knows the position (410), refuses it repeatedly, or is silent for a long time.
 *
 * List reads are consistent (without a resourceVersion), so a list contains every write that was answered before it
 * began.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: ReconnectBackoff;
  /** Delays lists after expired positions. A server that answers 410 works: earlier failures do not delay the list. */
  readonly #relistBackoff: ReconnectBackoff;
  /** Opaque; undefined if a list is due. */
  #position: string | undefined;
  #refusals = 0;
  /**
   * Whether the last list expired between two pages; the next one then has only one page. If that one fails too, pages are
   * tried again: all objects may be more than one answer can have.
   */
  #hasListExpired = false;
  /** Milliseconds for which watches from the position have been silent. */
  #silentMs = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = new ReconnectBackoff(options.clock, options.random);
    this.#relistBackoff = new ReconnectBackoff(options.clock, options.random);
  }

  /** Runs until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#position ??= await this.#list(signal);
        await this.#watch(this.#position, signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error, signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, kind, scope, sink, clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    let position: string | undefined;
    let items = 0;
    try {
      const limit = this.#hasListExpired ? 0 : undefined;
      for await (const page of client.listPages(kind, { ...scope, limit, signal })) {
        position ??= page.resourceVersion;
        items += page.items.length;
        sink.page(page.items);
      }
    } catch (error) {
      sink.listFailed();
      this.#hasListExpired = isExpired(error);
      throw error;
    }
    this.#hasListExpired = false;
    metrics.listed(kind.kind, (clock.monotonic() - startedAt) / 1000, items);
    await sink.listed(startedAt);
    this.#refusals = 0;
    this.#silentMs = 0;
    return position ?? '';
  }

  /**
   * Runs one watch request to its end.
   *
   * @throws the cause of a premature end
   */
  async #watch(position: string, signal: AbortSignal): Promise<void> {
    const { client, kind, scope, clock, random, metrics } = this.#options;
    const abort = new AbortController();
    const release = onAbort(signal, () => abort.abort());
    const watchdog = new Watchdog(clock, idleTimeoutMs, () => abort.abort());
    const startedAt = clock.monotonic();
    const timeoutSeconds = Math.round(watchSeconds.min + random() * (watchSeconds.max - watchSeconds.min));
    let events = 0;
    let hasChanges = false;
    let end: WatchEnd = 'closed';
    let isCut = false;
    try {
      const stream = client.watch(kind, {
        ...scope,
        resourceVersion: position,
        timeoutSeconds,
        signal: abort.signal,
      });
      for await (const event of stream) {
        watchdog.touch();
        events++;
        hasChanges ||= event.type !== 'BOOKMARK';
        this.#take(event);
      }
      const isShort = clock.monotonic() - startedAt < shortWatchMs;
      if (isShort && (!hasChanges || this.#position === position)) throw new ShortWatch();
    } catch (error) {
      end = watchdog.fired ? 'idle' : isExpired(error) ? 'expired' : 'failed';
      /* Proxies cut connections at any time: longer waits would only make the cache older. */
      isCut = isLostConnection(error) && clock.monotonic() - startedAt >= shortWatchMs;
      if (isCut) this.#backoff.reset();
      if (!watchdog.fired) throw error;
      this.#options.log.info({ kind: kind.kind }, 'Ended a watch that was silent');
    } finally {
      watchdog.stop();
      release();
      const lastedMs = clock.monotonic() - startedAt;
      metrics.watched(kind.kind, end, lastedMs / 1000, events);
      if (watchdog.fired) this.#silent(idleTimeoutMs);
      else if (events === 0 && (end === 'closed' || isCut)) this.#silent(lastedMs);
    }
  }

  #silent(ms: number): void {
    this.#silentMs += Math.max(0, ms);
    if (this.#silentMs < silenceBeforeRelistMs) return;
    this.#position = undefined;
    const fields = { kind: this.#options.kind.kind, silentMs: this.#silentMs };
    this.#options.log.info(fields, 'Listing again after silent watches');
  }

  #take(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    if (event.type === 'BOOKMARK') {
      this.#position = event.resourceVersion;
    } else {
      sink.changed(event);
      this.#position = event.object.metadata.resourceVersion;
    }
    this.#refusals = 0;
    this.#silentMs = 0;
    sink.heard();
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, log, kind } = this.#options;
    if (this.#isLost(error)) this.#position = undefined;
    const backoffMs = (isExpired(error) ? this.#relistBackoff : this.#backoff).next();
    const waitMs = backoffMs + Math.min(retryAfterOf(error), longestRetryAfterMs);
    const fields = { kind: kind.kind, error: messageOf(error), waitMs, relist: this.#position === undefined };
    if (isExpired(error) || error instanceof ShortWatch) log.info(fields, 'A watch ended early');
    else log.warn(fields, 'List or watch failed');
    await delay(clock, waitMs, signal);
  }

  /**
   * Returns whether a list is due. The position is kept if the server is unavailable, and dropped if the server refuses
   * it or does not know it.
   */
  #isLost(error: unknown): boolean {
    if (isExpired(error)) return true;
    if (!(error instanceof ApiError)) return !isTyped(error) && !(error instanceof ShortWatch);
    if (error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
    if (isRefusal(error)) this.#refusals++;
    return this.#refusals >= refusalsBeforeRelist;
  }
}

/**
 * Returns whether an error refuses the position. An error of an overloaded or starting server does not, and a list
 * would not help such a server.
 */
function isRefusal(error: ApiError): boolean {
  if (error.code === 0) return error.reason === networkReason.malformed;
  return ![429, 502, 503, 504].includes(error.code);
}

/** Returns the milliseconds for which an overloaded server asks to be left alone. */
function retryAfterOf(error: unknown): number {
  return (error instanceof ApiError ? error.retryAfterMs : undefined) ?? 0;
}

function isLostConnection(error: unknown): boolean {
  return error instanceof ApiError && error.reason === networkReason.connectionLost;
}

class ShortWatch extends Error {
  constructor() {
    super('the server ended the watch at once, and sent nothing new');
  }
}
