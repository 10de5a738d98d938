export interface AdmissionLimits {
  /** Connections of all clients. */
  max: number;
  /** Connections from one address. A network would be too much: the pods of a node can share an IPv6 network of 64 bits. */
  maxPerClient: number;
}

/** Whether a connection is admitted, and if not, why. */
export type Verdict = 'admitted' | 'full' | 'clientFull' | 'drop';

/** Number of connections beyond the limit that still receive a response; further connections are closed without a response. */
const answeredBeyond = 64;

/** Counts connections against the limits. A connection counts from the moment it is accepted, so that incomplete requests count as well. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #perClient = new Map<string, number>();
  #open = 0;
  /** Open connections that were admitted. The others stay open only for their response, and must not take the places of other clients. */
  #admitted = 0;

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
   * Counts a connection that begins. The caller calls `leave` with the verdict at its end, also if it is refused.
   *
   * @returns `drop` when the connection must be closed without a response
   */
  enter(client: string): Verdict {
    this.#open += 1;
    const own = (this.#perClient.get(client) ?? 0) + 1;
    this.#perClient.set(client, own);
    const { max, maxPerClient } = this.#limits;
    if (this.#open > max + answeredBeyond || own > maxPerClient + answeredBeyond) return 'drop';
    if (this.#admitted >= max) return 'full';
    if (own > maxPerClient) return 'clientFull';
    this.#admitted += 1;
    return 'admitted';
  }

  /** Counts a connection that ends. */
  leave(client: string, verdict: Verdict): void {
    this.#open -= 1;
    if (verdict === 'admitted') this.#admitted -= 1;
    const own = (this.#perClient.get(client) ?? 0) - 1;
    if (own > 0) this.#perClient.set(client, own);
    else this.#perClient.delete(client);
  }
}
