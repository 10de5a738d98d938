import {
  conditionSeverity,
  isTyped,
  keyOf,
  messageOf,
  type Condition,
  type KubeObject,
} from '@interlock/api';
import { aborted, delay, type Clock, type Logger } from '@interlock/base';
import { Event } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { changedConditions } from './conditions.js';
import { eventObject, referenceTo, type EventInput, type Reporter } from './event-object.js';
import { microTime } from './micro-time.js';
import { noMetrics, type RuntimeMetrics } from './metrics-types.js';
import { WorkQueue } from './queue.js';
import type { Runnable } from './runnable.js';

interface EventRecorderOptions {
  client: Pick<Client, 'create' | 'patch'>;
  clock: Clock;
  log: Logger;
  metrics?: RuntimeMetrics;
  reporter: Reporter;
  /** Yields numbers in [0, 1). */
  random: () => number;
}

/** Repetitions within this interval are one series. */
const seriesWindowMs = 600_000;
/** A series is written at the first two occurrences, then at most at this interval. */
const seriesRefreshMs = 60_000;
const maxSeries = 4_096;
const maxQueued = 1_000;
const maxAttempts = 5;
const callTimeoutMs = 10_000;
const flushMs = 2_000;
/** Marks the end of the queue, and is not a key of a series: everything before it is written when the writer reaches it. */
const endOfQueue = '';

interface Series {
  event: Event;
  count: number;
  /** Monotonic time of the last event, like {@link writtenAt}. */
  lastAt: number;
  /** The last occurrence, in milliseconds since the epoch. */
  observedAt: number;
  /** The count that the API server has; 0 before the event is created. */
  written: number;
  writtenAt: number;
}

/**
 * Writes events.k8s.io/v1 Events in the background. Recording never waits, fails or throws: an event that cannot be
 * written is dropped, counted and logged. It is added to the manager, which runs it and gives it two seconds at the
 * end.
 */
export class EventRecorder implements Runnable {
  readonly name = 'events';
  readonly needsLeaderElection = false;
  readonly #options: EventRecorderOptions;
  readonly #metrics: RuntimeMetrics;
  readonly #series = new Map<string, Series>();
  readonly #queue: WorkQueue;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#metrics = options.metrics ?? noMetrics;
    const { clock, random } = options;
    /* In turns, the end of the queue would overtake events. */
    const flowOf = () => ({ tenant: '' });
    this.#queue = new WorkQueue({ clock, random, metrics: noMetrics.queue('events'), flowOf });
  }

  /** Records an event about `regarding`. The same event within ten minutes of the last one is counted in its series. */
  record(regarding: KubeObject, input: EventInput): void {
    const key = [
      regarding.metadata.uid ?? keyOf(regarding),
      regarding.kind,
      input.type,
      input.reason,
      input.action,
      input.note,
    ];
    this.#count(JSON.stringify(key), regarding, input);
  }

  /**
   * Records the changes between two lists of conditions, with one event for each changed status or reason. The state
   * itself is in the status, so a restart repeats nothing.
   */
  recordTransitions(
    regarding: KubeObject,
    action: string,
    before: readonly Condition[] | undefined,
    after: readonly Condition[] | undefined,
  ): void {
    for (const condition of changedConditions(before, after)) {
      const { reason, message } = condition;
      this.record(regarding, { type: conditionSeverity(condition), reason, action, note: message });
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const writing = this.#write();
    await aborted(signal);
    this.#queue.add(endOfQueue);
    const flushed = new AbortController();
    await Promise.race([writing, delay(this.#options.clock, flushMs, flushed.signal)]);
    flushed.abort();
    void this.#queue.shutDown();
  }

  #count(key: string, regarding: KubeObject, input: EventInput): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const known = this.#series.get(key);
    this.#series.delete(key);
    if (known !== undefined && now - known.lastAt < seriesWindowMs) {
      known.count++;
      known.lastAt = now;
      known.observedAt = clock.now();
      this.#series.set(key, known);
      const refreshIn = known.written < 2 ? 0 : known.writtenAt + seriesRefreshMs - now;
      /* A series has at most one place in the queue, so repetitions need no limit. */
      this.#queue.addAfter(key, refreshIn);
      return;
    }
    if (this.#series.size >= maxSeries) this.#forgetOldest();
    const { reporter, random } = this.#options;
    const observedAt = clock.now();
    const event = eventObject(referenceTo(regarding), input, reporter, observedAt, random);
    this.#series.set(key, { event, count: 1, lastAt: now, observedAt, written: 0, writtenAt: now });
    if (this.#queue.depth >= maxQueued) this.#drop(key, 'queue_full');
    else this.#queue.add(key);
  }

  #forgetOldest(): void {
    const [oldest] = this.#series;
    if (oldest?.[1].written === 0) this.#drop(oldest[0], 'series_full');
    else if (oldest !== undefined) this.#series.delete(oldest[0]);
  }

  #drop(key: string, reason: string, error?: unknown): void {
    const event = this.#series.get(key)?.event;
    this.#series.delete(key);
    this.#queue.forget(key);
    this.#metrics.eventDropped(reason);
    const fields = {
      reason,
      regarding: event?.regarding,
      ...(error !== undefined && { error: messageOf(error) }),
    };
    this.#options.log.debug(fields, 'event dropped');
  }

  async #write(): Promise<void> {
    for (;;) {
      const key = await this.#queue.get();
      if (key === undefined || key === endOfQueue) break;
      const series = this.#series.get(key);
      if (series === undefined) this.#queue.forget(key);
      else await this.#writeSeries(key, series);
      this.#queue.done(key);
    }
  }

  async #writeSeries(key: string, series: Series): Promise<void> {
    try {
      const { count } = series;
      if (series.written === 0) await this.#create(series, count);
      else await this.#refresh(series, count);
      series.written = count;
      series.writtenAt = this.#options.clock.monotonic();
      this.#queue.forget(key);
    } catch (error) {
      if (isTyped(error, 'NotFound') && series.written > 0) {
        series.written = 0; // The event outlived its time to live; the series continues as a new event.
        this.#queue.add(key);
      } else if (isTyped(error, 'Transient', 'RateLimited') && this.#queue.failures(key) < maxAttempts) {
        this.#queue.addRateLimited(key);
      } else this.#drop(key, 'refused', error);
    }
  }

  async #create(series: Series, count: number): Promise<void> {
    const event = count === 1 ? series.event : { ...series.event, series: seriesOf(series, count) };
    try {
      await this.#options.client.create(Event, event, { timeoutMs: callTimeoutMs });
    } catch (error) {
      // The name is unique to this process: an earlier attempt did arrive. A terminating namespace is a conflict too.
      if (!isTyped(error, 'Conflict') || error.reason !== 'AlreadyExists') throw error;
    }
  }

  async #refresh(series: Series, count: number): Promise<void> {
    const patch = { series: seriesOf(series, count) };
    await this.#options.client.patch(
      Event,
      keyOf(series.event),
      { type: 'merge', patch },
      { timeoutMs: callTimeoutMs },
    );
  }
}

function seriesOf(series: Series, count: number): NonNullable<Event['series']> {
  return { count, lastObservedTime: microTime(series.observedAt) };
}
