/** Limits of the memory that one listener uses for the bodies of unanswered requests. */
export interface BodyLimits {
  /** Number of requests with a body. */
  requests: number;
  bytes: number;
}

/** The part of the budget that one tenant can use at most, so that a flood of its requests leaves room for others. */
const tenantShare = 1 / 4;

interface Usage {
  requests: number;
  bytes: number;
}

/** Counts the bodies in memory, in total and per tenant. */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Usage = { requests: 0, bytes: 0 };
  readonly #tenants = new Map<string, Usage>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Number of bytes in memory. */
  get heldBytes(): number {
    return this.#all.bytes;
  }

  /**
   * Admits a request; returns undefined if the budget is used up.
   *
   * @param tenant the tenant whose share the request uses; if undefined, only the total budget applies
   * @param isKept false for a body that is dropped while it is read: it is subject to the same limits, but does not
   *   reduce the limits of others
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

/** The part of a {@link BodyBudget} that one request uses. */
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

  /** Reserves more bytes. Returns false, and reserves nothing, if the budget is used up or the request has ended. */
  take(bytes: number): boolean {
    if (this.#hasLeft || !this.#fits(bytes)) return false;
    this.#bytes += bytes;
    for (const usage of this.#usages) usage.bytes += bytes;
    return true;
  }

  /** Releases all bytes. It must be called when the request is answered or its connection has ended. */
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
