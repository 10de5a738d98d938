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

/**
 * Counts the bodies in memory, in total and per tenant. A request that does not fit takes the place of the one whose body has been
 * arriving for the longest time: clients that stop in the middle of their bodies do not keep out others.
 */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Usage = { requests: 0, bytes: 0 };
  readonly #tenants = new Map<string, Usage>();
  /** The requests whose bodies are arriving, the oldest first. */
  readonly #arriving = new Set<BodyAllowance>();

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
    const exceeded = (bytes: number, requests: number): Usage | undefined => {
      if (share !== undefined && !isWithin(share, this.#limits, bytes, requests, tenantShare)) return share;
      return isWithin(this.#all, this.#limits, bytes, requests, 1) ? undefined : this.#all;
    };
    const makeRoom = (bytes: number, requests: number, asking?: BodyAllowance): boolean => {
      for (let usage = exceeded(bytes, requests); usage !== undefined; usage = exceeded(bytes, requests))
        if (!this.#displaceOldest(usage, asking)) return false;
      return true;
    };
    if (!makeRoom(0, 1)) {
      this.#drop(tenant);
      return undefined;
    }
    /* The displaced request may have been the last one of this tenant. */
    if (tenant !== undefined && share !== undefined) this.#tenants.set(tenant, share);
    for (const usage of usages) usage.requests += 1;
    const allowance = new BodyAllowance(usages, {
      fits: (bytes, asking) => makeRoom(bytes, 0, asking),
      onReceived: (one) => this.#arriving.delete(one),
      onLeave: () => this.#drop(tenant),
    });
    this.#arriving.add(allowance);
    return allowance;
  }

  /** Displaces the oldest request that uses `usage`, if it is older than the asking one. Returns whether there was one. */
  #displaceOldest(usage: Usage, asking: BodyAllowance | undefined): boolean {
    for (const allowance of this.#arriving) {
      if (allowance === asking) return false;
      if (allowance.displaceFrom(usage)) return true;
    }
    return false;
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

interface AllowanceEvents {
  /** Returns whether more bytes fit, if necessary by displacing requests that are older than the asking one. */
  fits: (bytes: number, asking: BodyAllowance) => boolean;
  onReceived: (allowance: BodyAllowance) => void;
  onLeave: () => void;
}

/** The part of a {@link BodyBudget} that one request uses. */
export class BodyAllowance {
  readonly #usages: readonly Usage[];
  readonly #events: AllowanceEvents;
  readonly #displaced = new AbortController();
  #bytes = 0;
  #hasLeft = false;

  constructor(usages: readonly Usage[], events: AllowanceEvents) {
    this.#usages = usages;
    this.#events = events;
  }

  /** Aborts when another request takes the place of this one: the part of the body that has arrived must be released at once. */
  get displaced(): AbortSignal {
    return this.#displaced.signal;
  }

  /** Reserves more bytes. Returns false, and reserves nothing, if the budget is used up or the request has ended. */
  take(bytes: number): boolean {
    if (this.#hasLeft || !this.#events.fits(bytes, this)) return false;
    this.#bytes += bytes;
    for (const usage of this.#usages) usage.bytes += bytes;
    return true;
  }

  /** Keeps the place of the request until it leaves. It must be called when the body has arrived. */
  received(): void {
    this.#events.onReceived(this);
  }

  /** Ends the request if it uses `usage`. Returns whether it does. */
  displaceFrom(usage: Usage): boolean {
    if (!this.#usages.includes(usage)) return false;
    this.leave();
    this.#displaced.abort();
    return true;
  }

  /** Releases all bytes. It must be called when the request is answered or its connection has ended. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.received();
    for (const usage of this.#usages) {
      usage.requests -= 1;
      usage.bytes -= this.#bytes;
    }
    this.#events.onLeave();
  }
}

function isWithin(usage: Usage, limits: BodyLimits, bytes: number, requests: number, part: number): boolean {
  return usage.requests + requests <= limits.requests * part && usage.bytes + bytes <= limits.bytes * part;
}
