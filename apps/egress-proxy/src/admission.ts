export interface AdmissionLimits {
  /** Connections of all clients. */
  max: number;
  /** Connections from one address. */
  maxPerClient: number;
}

/** Connections beyond the limit that are still answered with the reason; further ones are closed without a word. */
const answeredBeyond = 64;

/** Counts connections against the limits. A connection counts from its first packet on, so that unfinished requests do too. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #perClient = new Map<string, number>();
  #open = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Connections that may be open. */
  get max(): number {
    return this.#limits.max;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Counts a connection in. The caller gives it back by `leave`, whatever the verdict is.
   *
   * @returns `drop` when there is no room to even refuse it
   */
  enter(client: string): 'admitted' | 'full' | 'clientFull' | 'drop' {
    this.#open += 1;
    const own = (this.#perClient.get(client) ?? 0) + 1;
    this.#perClient.set(client, own);
    const { max, maxPerClient } = this.#limits;
    if (this.#open > max + answeredBeyond || own > maxPerClient + answeredBeyond) return 'drop';
    if (this.#open > max) return 'full';
    return own > maxPerClient ? 'clientFull' : 'admitted';
  }

  /** Counts a connection out. */
  leave(client: string): void {
    this.#open -= 1;
    const own = (this.#perClient.get(client) ?? 0) - 1;
    if (own > 0) this.#perClient.set(client, own);
    else this.#perClient.delete(client);
  }
}
