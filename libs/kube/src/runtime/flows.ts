import { parseKey } from '@interlock/api';

/** The tenant and the host for which a key is processed. A queue serves its tenants and hosts in turn. */
export interface Flow {
  /** The namespace of the key. For a cluster-scoped kind, the tenant that its controller names; empty if there is none. */
  tenant: string;
  /**
   * The server that the work calls, other than the Kubernetes API; undefined if there is none, or it is not known yet.
   */
  host?: string | undefined;
}

/** Limits of the number of keys that are processed at the same time. */
export interface FlowLimits {
  /** Limit per tenant. Keys without a tenant have no such limit. */
  perTenant: number;
  /** Limit per host. */
  perHost: number;
}

export const unlimited: FlowLimits = { perTenant: Infinity, perHost: Infinity };

/** Returns the flow of a key that calls no server: `namespace/name`, or `name`. */
export function flowOfKey(key: string): Flow {
  return { tenant: parseKey(key).namespace ?? '' };
}

/** Counts the keys that are being processed, by namespace and by host. */
export class FlowUsage {
  readonly #limits: FlowLimits;
  readonly #tenants = new Map<string, number>();
  readonly #hosts = new Map<string, number>();

  constructor(limits: FlowLimits) {
    this.#limits = limits;
  }

  /** Returns whether one more key of a flow may be processed. */
  hasRoom({ tenant, host }: Flow): boolean {
    if (tenant !== '' && (this.#tenants.get(tenant) ?? 0) >= this.#limits.perTenant) return false;
    return host === undefined || (this.#hosts.get(host) ?? 0) < this.#limits.perHost;
  }

  enter({ tenant, host }: Flow): void {
    add(this.#tenants, tenant, 1);
    if (host !== undefined) add(this.#hosts, host, 1);
  }

  leave({ tenant, host }: Flow): void {
    add(this.#tenants, tenant, -1);
    if (host !== undefined) add(this.#hosts, host, -1);
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
