import type { Clock } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import { Registry } from 'prom-client';
import type { Client } from '../client/types.js';
import { EventRecorder } from '../runtime/events.js';
import { createManager } from '../runtime/manager.js';
import { createKubeMetrics } from '../runtime/metrics.js';
import type { Manager } from '../runtime/manager-types.js';
import { idle, metricSum } from './idle.js';

/** A manager like the manager of an app, inside the test process: without flags, leader election or randomness. */
export class TestManager {
  readonly random = (): number => 0.5;
  readonly log = recordLog();
  readonly registry = new Registry();
  readonly events: EventRecorder;
  readonly manager: Manager;
  readonly #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /**
   * Creates a manager that does not run yet.
   *
   * @param app name of the app
   */
  constructor(client: Client, clock: Clock, app: string) {
    const { log, random } = this;
    const metrics = createKubeMetrics(this.registry);
    const reporter = { controller: `interlock.dev/${app}`, instance: 'test' };
    this.events = new EventRecorder({ client, clock, log, metrics, reporter, random: counting() });
    this.manager = createManager({ client, clock, log, metrics, events: this.events, random });
  }

  /** Starts the manager. It must be called after the controllers are added. */
  run(): void {
    this.#ended = this.manager.run(this.#stopping.signal);
    /* The rejection is handled by the caller of stop. */
    this.#ended.catch(() => undefined);
  }

  /** Returns the sum of a metric over all series that have these labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number> {
    return metricSum(this.registry, name, labels);
  }

  /** Returns how many reconciles have ended, successfully or not. */
  reconciles(): Promise<number> {
    return this.metric('controller_runtime_reconcile_total');
  }

  /** Waits until the only remaining keys are delayed keys; see {@link idle}. */
  rest(before?: () => Promise<void>, isOver?: () => boolean): Promise<void> {
    return idle(this.manager, this.registry, before, isOver);
  }

  /**
   * Stops as on SIGTERM.
   *
   * @throws the error that made the manager fail
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }
}

/**
 * Yields increasing numbers in [0, 1), so that the names of events that are recorded in the same millisecond differ.
 */
function counting(): () => number {
  let count = 0;
  return () => (count++ % 2 ** 32) / 2 ** 32;
}
