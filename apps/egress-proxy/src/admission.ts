export interface AdmissionLimits {
  /** Connections of all clients, if none uses TLS. */
  max: number;
  /** Connections of all clients, if all use TLS. They take more memory, so this is at most {@link max}. */
  maxTls: number;
  /** Connections from one address. A network would be too much: the pods of a node can share an IPv6 network of 64 bits. */
  maxPerClient: number;
  /** Connections with TLS from one address. */
  maxTlsPerClient: number;
}

/** Whether a connection is admitted, and if not, why. */
export type Verdict = 'admitted' | 'full' | 'clientFull' | 'drop';

/** What a connection counts as. The refused ones stay open only for their response, and must not take the places of other clients. */
export type Kind = 'plain' | 'tls' | 'refused';

/** Number of connections beyond the limit that still receive a response; further connections are closed without a response. */
const answeredBeyond = 64;

/** Open connections of all clients, or of one. */
class Count implements Record<Kind, number> {
  plain = 0;
  tls = 0;
  refused = 0;

  get all(): number {
    return this.plain + this.tls + this.refused;
  }

  /** Returns whether one more connection fits, if so many fit without TLS, or with it. */
  fits(kind: 'plain' | 'tls', max: number, maxTls: number): boolean {
    const plain = this.plain + Number(kind === 'plain');
    const tls = this.tls + Number(kind === 'tls');
    return plain / max + tls / maxTls <= 1;
  }
}

/** Counts connections against the limits. A connection counts from the moment it is accepted, so that incomplete requests count as well. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #all = new Count();
  readonly #perClient = new Map<string, Count>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get limits(): AdmissionLimits {
    return this.#limits;
  }

  /** Number of open connections. */
  get open(): number {
    return this.#all.all;
  }

  /**
   * Counts a connection that begins. The caller calls `leave` at its end, also if it is refused.
   *
   * @returns `drop` when the connection must be closed without a response
   */
  enter(client: string): Verdict {
    const own = this.#countOf(client);
    const { max, maxPerClient } = this.#limits;
    const isBeyond = this.#all.all >= max + answeredBeyond || own.all >= maxPerClient + answeredBeyond;
    const verdict = isBeyond ? 'drop' : this.#verdictOn('plain', own);
    this.#count(verdict === 'admitted' ? 'plain' : 'refused', own, 1);
    return verdict;
  }

  /** Counts an admitted connection as one that uses TLS, or, unless it is admitted as such, as a refused one. */
  enterTls(client: string): Verdict {
    const own = this.#countOf(client);
    this.#count('plain', own, -1);
    const verdict = this.#verdictOn('tls', own);
    this.#count(verdict === 'admitted' ? 'tls' : 'refused', own, 1);
    return verdict;
  }

  /** Counts a connection that ends. */
  leave(client: string, kind: Kind): void {
    const own = this.#countOf(client);
    this.#count(kind, own, -1);
    if (own.all === 0) this.#perClient.delete(client);
  }

  #countOf(client: string): Count {
    const own = this.#perClient.get(client) ?? new Count();
    this.#perClient.set(client, own);
    return own;
  }

  #verdictOn(kind: 'plain' | 'tls', own: Count): Verdict {
    const { max, maxTls, maxPerClient, maxTlsPerClient } = this.#limits;
    if (!this.#all.fits(kind, max, maxTls)) return 'full';
    return own.fits(kind, maxPerClient, maxTlsPerClient) ? 'admitted' : 'clientFull';
  }

  #count(kind: Kind, own: Count, change: 1 | -1): void {
    this.#all[kind] += change;
    own[kind] += change;
  }
}
