import { runnerLabels } from '@interlock/api';
import { silentLog, systemClock } from '@interlock/base';
import { createCache, Pod, type Client } from '@interlock/kube';

/** The worker pods of a namespace, including deleted ones. */
export interface PodRecords {
  /** Names by plan id, in the order of creation. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Stops recording. */
  stop(): Promise<void>;
}

/** Starts recording the worker pods of a namespace. */
export function startPodRecords(client: Client, namespace: string): PodRecords {
  const names = new Map<string, string[]>();
  const stopping = new AbortController();
  const dependencies = { clock: systemClock, random: Math.random, log: silentLog };
  const pods = createCache(client, Pod, { namespace, labelSelector: runnerLabels.planId }, dependencies);
  pods.subscribe(({ object: { metadata } }) => {
    const planId = metadata.labels?.[runnerLabels.planId];
    if (planId === undefined) return;
    const known = names.get(planId) ?? [];
    names.set(planId, known);
    if (!known.includes(metadata.name)) known.push(metadata.name);
  });
  const running = pods.run(stopping.signal);
  return {
    names,
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([running]);
    },
  };
}
