import { messageOf } from '@interlock/api';
import type { Logger } from '@interlock/base';

interface Task {
  name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Tasks that run together and are stopped together. */
export class RunnableGroup {
  readonly #log: Logger;
  readonly #onFailure: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  /**
   * Creates an empty group.
   *
   * @param onFailure called when a task rejects before it was stopped
   */
  constructor(log: Logger, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  start(task: Task): void {
    const running = this.#run(task).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Stops all tasks. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #run(task: Task): Promise<void> {
    try {
      await task.run(this.#stop.signal);
    } catch (error) {
      const fields = { runnable: task.name, error: messageOf(error) };
      if (this.#stop.signal.aborted) {
        this.#log.debug(fields, 'failed while stopping');
        return;
      }
      this.#log.error(fields, 'failed');
      this.#onFailure(error);
    }
  }
}
