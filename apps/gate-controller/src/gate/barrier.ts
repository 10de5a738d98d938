import { keyOf, keyString, type Gate, type ObjectKey } from '@interlock/api';
import type { Cache } from '@interlock/kube';

/**
 * Prevents all releases until every existing gate has been evaluated after the start and the cache shows the written
 * status: of several gates, one that opened must not be observed before one that closed.
 */
export class EvaluationBarrier {
  readonly #gates: Cache<Gate>;
  /** The gates of the first complete list that have not been evaluated; controllers run after that list. */
  readonly #waiting = new Set<string>();
  /** Versions that were written and are not in the cache yet, by gate. */
  readonly #written = new Map<string, string>();
  readonly #handlers: (() => void)[] = [];

  constructor(gates: Cache<Gate>) {
    this.#gates = gates;
    gates.subscribe((event) => {
      const key = keyOf(event.object);
      if (event.type === 'added' && event.initial) this.#waiting.add(keyString(key));
      const version = this.#written.get(keyString(key));
      if (event.type === 'deleted') this.gone(key);
      else if (version !== undefined && gates.progress.hasSeen(key, version)) this.gone(key);
    });
  }

  /** Returns whether objects may be released. */
  get open(): boolean {
    return this.#gates.hasSynced && this.#waiting.size === 0;
  }

  /** Registers a handler for the opening of the barrier. It must be called before the manager runs. */
  onOpen(handler: () => void): void {
    this.#handlers.push(handler);
  }

  /**
   * Records that a gate has been evaluated.
   *
   * @param gate as it is stored
   */
  evaluated(gate: Gate): void {
    const key = keyOf(gate);
    if (!this.#waiting.has(keyString(key))) return;
    const { resourceVersion = '' } = gate.metadata;
    if (this.#gates.progress.hasSeen(key, resourceVersion)) this.gone(key);
    else this.#written.set(keyString(key), resourceVersion);
  }

  /** Records that a gate no longer blocks the barrier. */
  gone(gate: ObjectKey): void {
    if (!this.#gates.hasSynced) return;
    const id = keyString(gate);
    this.#written.delete(id);
    if (this.#waiting.delete(id) && this.open) this.#handlers.forEach((handler) => handler());
  }
}
