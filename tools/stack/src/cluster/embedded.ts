import { join } from 'node:path';
import { releaseNamespace, responderConfigNamespace } from '@interlock/charts';
import { startDevCluster, workspaceImages, type DevCluster, type ImageTable } from '@interlock/devcluster';
import { createClient } from '@interlock/kube';
import { parse } from 'yaml';
import { workspace } from '../paths.js';
import type { AdminKubeconfig, Cluster, Namespaces } from './cluster.js';

/** Every start creates a new embedded cluster, so its namespaces can have the names that the documentation uses. */
export const embeddedNamespaces: Namespaces = {
  system: releaseNamespace,
  config: responderConfigNamespace,
  team: 'demo',
  flux: 'flux-system',
};

export interface EmbeddedCluster extends Cluster {
  readonly embedded: DevCluster;
}

interface EmbeddedClusterOptions {
  /** Adds a node that runs the bundles of the apps as pods. */
  runsPods?: boolean | undefined;
  /** Additional images of the node. */
  images?: ImageTable | undefined;
  /** Addresses of host names that pods can resolve. */
  hosts?: Readonly<Record<string, string>> | undefined;
}

/** Starts an API server in this process. */
export async function startEmbeddedCluster({
  runsPods = false,
  images = {},
  hosts = {},
}: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
  const node = { name: 'node-1', runtime: 'process' } as const;
  const embedded = await startDevCluster(
    runsPods ? { nodes: [node], images: { ...workspaceImages(workspace), ...images }, hosts } : {},
  );
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
