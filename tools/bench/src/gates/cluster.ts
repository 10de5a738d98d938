import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@interlock/base';
import { createCache, type Cache, type Client } from '@interlock/kube';
import type { Kind, KubeObject } from '@interlock/api';
import {
  createProcessFleet,
  ensureNamespace,
  startPlatform,
  systemNamespace,
  type ProcessFleet,
} from '@interlock/stack';

export const namespace = 'bench';
export const fieldManager = 'bench';

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => log };

/**
 * The embedded cluster in this process, and the bundle of gate-controller as a separate process, which is not started.
 */
interface GateCluster {
  client: Client;
  controller: ProcessFleet['processes']['gate-controller'];
  /** Returns a cache of the namespace that has synced. */
  cacheOf: <T extends KubeObject>(kind: Kind<T>, signal: AbortSignal) => Promise<Cache<T>>;
}

/** Runs a measurement with a cluster that has a namespace `bench`, and closes the cluster afterwards. */
export async function withGateCluster<R>(measure: (cluster: GateCluster) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  const platform = await startPlatform();
  const stopping = new AbortController();
  const { client, admin } = platform;
  await ensureNamespace(client, systemNamespace);
  await ensureNamespace(client, namespace);
  const fleet = await createProcessFleet({ client, admin, folder });
  const controller = fleet.processes['gate-controller'];
  const dependencies = { clock: systemClock, random: Math.random, log };
  try {
    return await measure({
      client,
      controller,
      cacheOf: async (kind, signal) => {
        const cache = createCache(client, kind, { namespace }, dependencies);
        void cache.run(stopping.signal);
        await cache.waitForSync(signal);
        return cache;
      },
    });
  } finally {
    stopping.abort();
    await controller.stop();
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  }
}
