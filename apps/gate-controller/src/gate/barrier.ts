import { keyOf, keyString, type Gate, type ObjectKey } from '@interlock/api';
import type { Cache } from '@interlock/kube';

/** Keeps everything that is held from being released until each gate there is has been evaluated after the start. */
export class EvaluationBarrier {
  #pending: Set<string> | undefined;
  readonly #handlers: (() => void)[] = [];

  constructor(private readonly gates: Cache<Gate>) {
    gates.subscribe((event) => {
      if (event.type === 'deleted') this.evaluated(keyOf(event.object));
    });
  }

  /** Whether something may be released. */
  get open(): boolean {
    return this.gates.hasSynced && this.#waiting.size === 0;
  }

  /** Tells that the barrier opened. Call it before the manager runs. */
  onOpen(handler: () => void): void {
    this.#handlers.push(handler);
  }

  /** Notes that a gate has been evaluated, and its status written, or that it is gone. */
  evaluated(gate: ObjectKey): void {
    if (!this.gates.hasSynced) return;
    if (this.#waiting.delete(keyString(gate)) && this.open) this.#handlers.forEach((handler) => handler());
  }

  /** The gates of the first complete list; controllers run after that. */
  get #waiting(): Set<string> {
    if (this.#pending !== undefined) return this.#pending;
    const waiting = new Set(this.gates.list().map((gate) => keyString(keyOf(gate))));
    if (this.gates.hasSynced) this.#pending = waiting;
    return waiting;
  }
}
