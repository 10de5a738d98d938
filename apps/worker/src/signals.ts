/** Signals that end the container: SIGTERM by the kubelet, SIGINT by a user at a terminal. */
const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** A signal that ends the container. */
export type StopSignal = (typeof stopSignals)[number];

/** The first stop signal of this process. Later signals have no effect: they do not shorten the time of the runner. */
export class StopSignals {
  #received: StopSignal | undefined;
  readonly #listeners: ((signal: StopSignal) => void)[] = [];

  /** Starts to watch the signals, which from now on do not end the process. */
  constructor(from: NodeJS.EventEmitter) {
    for (const signal of stopSignals) from.on(signal, () => this.#take(signal));
  }

  /** The first signal; undefined before it. */
  get received(): StopSignal | undefined {
    return this.#received;
  }

  /** Calls back with the first signal, at once if it has already arrived. */
  onReceived(listener: (signal: StopSignal) => void): void {
    if (this.#received === undefined) this.#listeners.push(listener);
    else listener(this.#received);
  }

  #take(signal: StopSignal): void {
    if (this.#received !== undefined) return;
    this.#received = signal;
    for (const listener of this.#listeners) listener(signal);
  }
}
