import { runnerLabels } from '@interlock/api';
import { silentLog, systemClock } from '@interlock/base';
import { createCache, Pod, type Client } from '@interlock/kube';

/** The pods of the tenants, including deleted ones. */
export interface TenantPods {
  /** Namespaces by the address of a pod of their egress proxy. */
  readonly proxies: ReadonlyMap<string, string>;
  /** Names of worker pods by plan id, in the order of creation. */
  readonly workers: ReadonlyMap<string, readonly string[]>;
  /** Stops recording. */
  stop(): Promise<void>;
}

const proxySelector = 'app.kubernetes.io/name=egress-proxy';

/** Starts recording the pods of all namespaces. */
export function startPodRecords(client: Client): TenantPods {
  const proxies = new Map<string, string>();
  const workers = new Map<string, string[]>();
  const stopping = new AbortController();
  const watch = (labelSelector: string, note: (pod: Pod) => void): Promise<unknown> => {
    const dependencies = { clock: systemClock, random: Math.random, log: silentLog };
    const cache = createCache(client, Pod, { labelSelector }, dependencies);
    cache.subscribe(({ object }) => note(object));
    return cache.run(stopping.signal);
  };
  const running = [
    watch(proxySelector, ({ metadata, status }) => {
      if (status?.podIP !== undefined) proxies.set(status.podIP, metadata.namespace ?? '');
    }),
    watch(runnerLabels.planId, ({ metadata }) => {
      const planId = metadata.labels?.[runnerLabels.planId] ?? '';
      const known = workers.get(planId) ?? [];
      workers.set(planId, known);
      if (!known.includes(metadata.name)) known.push(metadata.name);
    }),
  ];
  return {
    proxies,
    workers,
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}

/** Returns the pods of a program of a tenant: its controller (`agc`) or its proxy. */
export async function podsOfTenant(
  client: Client,
  namespace: string,
  program: 'agc' | 'egress-proxy',
): Promise<readonly Pod[]> {
  const labelSelector = `app.kubernetes.io/name=${program}`;
  return (await client.list(Pod, { namespace, labelSelector })).items;
}
