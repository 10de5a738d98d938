import { createClient, type Client } from '@interlock/kube';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { startForge, type Forge, type ForgeOptions } from '@interlock/forge';
import { parse } from 'yaml';
import { installCustomResources, type AdminKubeconfig } from './fleet/install.js';

/** An embedded cluster that serves the kinds of this project, and a local forge. */
export interface Platform {
  readonly cluster: DevCluster;
  readonly forge: Forge;
  /** The kubeconfig of a cluster admin, as an object. */
  readonly admin: AdminKubeconfig;
  /** The client of whoever plays with the platform. */
  readonly client: Client;
  /** @returns another client with the rights of an admin, which goes with the platform. `name`: its user agent and field manager. */
  connect(name: string): Client;
  /** Has the API server reach the webhooks of a Service at an address of this machine. */
  route(namespace: string, service: string, url: string): void;
  close(): Promise<void>;
}

/** Starts both. @throws Error; what was started is stopped then. */
export async function startPlatform(forgeOptions: ForgeOptions = {}): Promise<Platform> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const routes = new Map<string, URL>();
    const cluster = await startDevCluster({
      services: (namespace, name) => routes.get(`${namespace}/${name}`),
    });
    stops.push(() => cluster.close());
    const forge = await startForge(forgeOptions);
    stops.push(() => forge.close());
    const admin = parse(cluster.kubeconfig) as AdminKubeconfig;
    const connect = (name: string): Client => {
      const client = createClient({ kubeConfig: admin, userAgent: name, defaultFieldManager: name });
      stops.push(() => client.close());
      return client;
    };
    const client = connect('stack');
    await installCustomResources(client);
    const route: Platform['route'] = (namespace, service, url) => {
      routes.set(`${namespace}/${service}`, new URL(url));
    };
    return { cluster, forge, admin, client, connect, route, close };
  } catch (error) {
    await close();
    throw error;
  }
}
