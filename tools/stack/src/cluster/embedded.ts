import { join } from 'node:path';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { createClient } from '@interlock/kube';
import { parse } from 'yaml';
import type { AdminKubeconfig, Cluster, Namespaces } from './cluster.js';

/** The embedded cluster is new with each start, so its namespaces have the names that the pages use. */
export const embeddedNamespaces: Namespaces = {
  system: 'interlock-system',
  config: 'ugallu-system',
  team: 'demo',
  flux: 'flux-system',
};

export interface EmbeddedCluster extends Cluster {
  readonly embedded: DevCluster;
}

/** Starts an API server in this process. */
export async function startEmbeddedCluster(): Promise<EmbeddedCluster> {
  const embedded = await startDevCluster();
  const admin = parse(embedded.kubeconfig) as AdminKubeconfig;
  return {
    url: embedded.url,
    admin,
    namespaces: embeddedNamespaces,
    embedded,
    connect: (name) => createClient({ kubeConfig: admin, userAgent: name, defaultFieldManager: name }),
    kubeconfigFile: (folder) => {
      const path = join(folder, 'kubeconfig');
      embedded.writeKubeconfig(path);
      return { path };
    },
    close: () => embedded.close(),
  };
}
