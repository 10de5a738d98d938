import { isNativeError } from 'node:util/types';
import type { Logger } from 'pino';
import { UsageError } from '../flags/define.js';

/** Takes a process from its start to its exit code. */
export class Lifecycle {
  readonly #stop = new AbortController();

  readonly #log: Logger;
  readonly #gracePeriodMs: number;

  constructor(log: Logger, gracePeriodMs: number) {
    this.#log = log;
    this.#gracePeriodMs = gracePeriodMs;
  }

  /** Stops this process on a signal or an uncaught error. */
  watchProcess(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#onSignal(signal));
    process.on('uncaughtException', (error) => this.#onUncaught(error, 'uncaught exception'));
    process.on('unhandledRejection', (error) => this.#onUncaught(error, 'unhandled rejection'));
  }

  /** Runs the work to its end and exits. */
  async run(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
    try {
      await work(this.#stop.signal);
    } catch (error) {
      /* The values of several flags may not fit together, or not fit the cluster. Its stack says nothing to the user. */
      if (error instanceof UsageError) {
        this.#log.fatal({}, error.message);
        return process.exit(2);
      }
      if (!this.#isStop(error)) {
        this.#log.fatal({ error }, 'failed');
        return process.exit(1);
      }
    }
    this.#log.info({}, 'stopped');
    return process.exit(0);
  }

  /* Work that ends by rethrowing the abort has stopped as requested. */
  #isStop(error: unknown): boolean {
    const { aborted, reason } = this.#stop.signal;
    return aborted && (error === reason || (isNativeError(error) && error.name === 'AbortError'));
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#stop.signal.aborted) {
      this.#log.error({ signal }, 'second signal received, exiting at once');
      process.exit(1);
    }
    this.#log.info({ signal, gracePeriodMs: this.#gracePeriodMs }, 'stopping');
    const timer = setTimeout(() => {
      this.#log.error(
        { gracePeriodMs: this.#gracePeriodMs },
        'the process did not stop within the grace period',
      );
      process.exit(1);
    }, this.#gracePeriodMs);
    timer.unref();
    this.#stop.abort(new DOMException(`stopped by ${signal}`, 'AbortError'));
  }

  #onUncaught(error: unknown, what: string): void {
    this.#log.fatal({ error }, what);
    process.exit(1);
  }
}
