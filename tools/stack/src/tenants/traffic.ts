import type { RequestEntry } from '@interlock/actions-service';
import type { PlannedTenant } from './plan.js';

/** A request that the service received. */
export type SeenRequest = Pick<RequestEntry, 'base' | 'client' | 'owner'>;

/** The requests of a tenant. */
export interface TenantTraffic {
  tenant: string;
  requests: number;
  /** Number of requests from the address of its own proxy. */
  proxied: number;
}

/** The requests of all tenants, and the problems with them. */
interface Traffic {
  tenants: readonly TenantTraffic[];
  problems: readonly string[];
}

/**
 * Returns the origins of the requests of tenants. A request belongs to the tenant whose credential it has; a request
 * without a credential belongs to the tenant of its proxy. Pure.
 *
 * @param proxies namespaces by the address of a pod of their egress proxy
 */
export function trafficOf(
  requests: readonly SeenRequest[],
  proxies: ReadonlyMap<string, string>,
  tenants: readonly Pick<PlannedTenant, 'namespace' | 'account'>[],
): Traffic {
  const byAccount = new Map(tenants.map(({ account, namespace }) => [account, namespace]));
  const counts = new Map(tenants.map(({ namespace }) => [namespace, { requests: 0, proxied: 0 }]));
  const problems = new Map<string, number>();
  for (const { base, client, owner } of requests) {
    if (base === 'control') continue;
    const sender = proxies.get(client);
    const tenant = owner === undefined ? sender : byAccount.get(owner);
    const count = counts.get(tenant ?? '');
    if (count !== undefined) {
      count.requests += 1;
      if (sender === tenant) count.proxied += 1;
    }
    if (count !== undefined && sender === tenant) continue;
    const origin = sender === undefined ? client : `the proxy of ${sender}`;
    const credential = owner === undefined ? 'without a credential' : `with a credential of ${owner}`;
    const what = `from ${origin}, ${credential}`;
    problems.set(what, (problems.get(what) ?? 0) + 1);
  }
  return {
    tenants: [...counts].map(([tenant, count]) => ({ tenant, ...count })),
    problems: [...problems].map(([what, count]) => `${count} requests came ${what}`),
  };
}
