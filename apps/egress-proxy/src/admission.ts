export interface AdmissionLimits {
  /** Connections of all clients. */
  max: number;
  /** Connections from one address. */
  maxPerClient: number;
}

/** Number of connections beyond the limit that still receive a response; further connections are closed without a response. */
const answeredBeyond = 64;

/** Counts connections against the limits. A connection counts from the moment it is accepted, so that incomplete requests count as well. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #perClient = new Map<string, number>();
  #open = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Maximum number of open connections. */
  get max(): number {
    return this.#limits.max;
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open;
  }

  /**
   * Counts a connection that begins. The caller calls `leave` at its end, whatever the verdict is.
   *
   * @returns `drop` when the connection must be closed without a response
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

  /** Counts a connection that ends. */
  leave(client: string): void {
    this.#open -= 1;
    const own = (this.#perClient.get(client) ?? 0) - 1;
    if (own > 0) this.#perClient.set(client, own);
    else this.#perClient.delete(client);
  }
}
