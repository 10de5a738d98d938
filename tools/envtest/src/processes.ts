import { rm } from 'node:fs/promises';
import { Component, type Missing } from './component.js';

interface ProcessesOptions {
  /** The private folder of the run. */
  folder: string;
  stopTimeoutMs: number;
  /** Aborts the start of further processes. */
  signal: AbortSignal;
}

/** The processes of a run and its folder. */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #components: Component[] = [];
  #closed: Promise<void> | undefined;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  /**
   * Starts a binary and waits until each condition holds, one after the other. @throws Error with the file when the
   * binary does not become ready
   */
  async start(file: string, args: readonly string[], ...conditions: readonly Missing[]): Promise<void> {
    const { folder, stopTimeoutMs, signal } = this.#options;
    signal.throwIfAborted();
    const component = new Component({ file, args, folder, stopTimeoutMs });
    this.#components.push(component);
    for (const missing of conditions) await component.waitUntil(missing, signal);
  }

  /** Ends all processes and deletes the folder. */
  close(): Promise<void> {
    this.#closed ??= this.#stopAll();
    return this.#closed;
  }

  /* Stops the newest process first, because each process depends on the earlier ones. */
  async #stopAll(): Promise<void> {
    for (const component of this.#components.reverse()) await component.stop();
    await rm(this.#options.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
