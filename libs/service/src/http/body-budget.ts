/** What one listener holds at a time of the bodies of requests that it has not answered. */
export interface BodyLimits {
  /** Requests with a body. */
  requests: number;
  bytes: number;
}

/** One tenant holds at most this part of the budget, so that a flood of its requests leaves room for the others. */
const tenantShare = 1 / 4;

interface Usage {
  requests: number;
  bytes: number;
}

/** Counts the bodies in memory, of all requests together and of each tenant. */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Usage = { requests: 0, bytes: 0 };
  readonly #tenants = new Map<string, Usage>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** The bytes that are in memory. */
  get heldBytes(): number {
    return this.#all.bytes;
  }

  /**
   * Takes a request in; undefined when the budget is spent.
   *
   * @param tenant whose share it counts in; undefined: only the budget of all counts.
   * @param isKept false for a body that is dropped while it is read: it meets the same limits, and takes nothing from others.
   */
  enter(tenant: string | undefined, isKept: boolean): BodyAllowance | undefined {
    const share = tenant === undefined ? undefined : this.#usageOf(tenant);
    const usages = [...(share === undefined ? [] : [share]), ...(isKept ? [this.#all] : [])];
    const fits = (bytes: number, requests: number): boolean =>
      isWithin(this.#all, this.#limits, bytes, requests, 1) &&
      (share === undefined || isWithin(share, this.#limits, bytes, requests, tenantShare));
    if (!fits(0, 1)) {
      this.#drop(tenant);
      return undefined;
    }
    for (const usage of usages) usage.requests += 1;
    return new BodyAllowance(
      usages,
      (bytes) => fits(bytes, 0),
      () => this.#drop(tenant),
    );
  }

  #usageOf(tenant: string): Usage {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const usage = { requests: 0, bytes: 0 };
    this.#tenants.set(tenant, usage);
    return usage;
  }

  #drop(tenant: string | undefined): void {
    if (tenant !== undefined && this.#tenants.get(tenant)?.requests === 0) this.#tenants.delete(tenant);
  }
}

/** What one request holds of a {@link BodyBudget}. */
export class BodyAllowance {
  readonly #usages: readonly Usage[];
  readonly #fits: (bytes: number) => boolean;
  readonly #onLeave: () => void;
  #bytes = 0;
  #hasLeft = false;

  constructor(usages: readonly Usage[], fits: (bytes: number) => boolean, onLeave: () => void) {
    this.#usages = usages;
    this.#fits = fits;
    this.#onLeave = onLeave;
  }

  /** Takes more bytes. Returns false, and takes nothing, when the budget is spent or the request is over. */
  take(bytes: number): boolean {
    if (this.#hasLeft || !this.#fits(bytes)) return false;
    this.#bytes += bytes;
    for (const usage of this.#usages) usage.bytes += bytes;
    return true;
  }

  /** Gives everything back; to be called when the request is answered or its connection has ended. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const usage of this.#usages) {
      usage.requests -= 1;
      usage.bytes -= this.#bytes;
    }
    this.#onLeave();
  }
}

function isWithin(usage: Usage, limits: BodyLimits, bytes: number, requests: number, part: number): boolean {
  return usage.requests + requests <= limits.requests * part && usage.bytes + bytes <= limits.bytes * part;
}
