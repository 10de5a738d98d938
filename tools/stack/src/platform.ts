import type { Client } from '@interlock/kube';
import { startForge, type Forge, type ForgeOptions } from '@interlock/forge';
import type { AdminKubeconfig, Cluster } from './cluster/cluster.js';
import { startEmbeddedCluster, type EmbeddedCluster } from './cluster/embedded.js';
import { installCustomResources } from './fleet/install.js';

/** A cluster that serves the kinds of this project, and a local forge. */
export interface Platform<C extends Cluster = Cluster> {
  readonly cluster: C;
  readonly forge: Forge;
  /** The API server of the cluster, for the kubeconfigs of the apps. */
  readonly admin: AdminKubeconfig;
  /** A client with the permissions of an administrator. */
  readonly client: Client;
  /**
   * Returns another client with these permissions, which is closed with the platform. `name` is its user agent and
   * field manager.
   */
  connect(name: string): Client;
  close(): Promise<void>;
}

/** A platform with an embedded cluster, which a test can make fail and restart. */
export type EmbeddedPlatform = Platform<EmbeddedCluster>;

/** Starts a forge and opens a cluster, by default an embedded one. @throws Error after stopping what was started */
export async function startPlatform(forgeOptions?: ForgeOptions): Promise<EmbeddedPlatform>;
export async function startPlatform<C extends Cluster>(
  forgeOptions: ForgeOptions | undefined,
  openCluster: () => Promise<C>,
): Promise<Platform<C>>;
export async function startPlatform(
  forgeOptions: ForgeOptions = {},
  openCluster: () => Promise<Cluster> = startEmbeddedCluster,
): Promise<Platform> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const cluster = await openCluster();
    stops.push(() => cluster.close());
    const forge = await startForge(forgeOptions);
    stops.push(() => forge.close());
    const connect = (name: string): Client => {
      const client = cluster.connect(name);
      stops.push(() => client.close());
      return client;
    };
    const client = connect('stack');
    await installCustomResources(client);
    return { cluster, forge, admin: cluster.admin, client, connect, close };
  } catch (error) {
    await close();
    throw error;
  }
}
