import { startDevCluster, type NodeOptions } from '@interlock/devcluster';
import { assetsFromEnvironment, startControlPlane } from '@interlock/envtest';
import type { KubeConfigSource } from '@interlock/kube';
import { parse } from 'yaml';

export interface ServerFlags {
  kubeconfig?: string;
  context?: string;
  envtest?: boolean;
}

/** A server to examine. `close` stops the server if it was started for the run. */
export interface OpenServer {
  kubeconfig: KubeConfigSource;
  context?: string | undefined;
  close(): Promise<void>;
}

/**
 * Opens the server that the flags select: the server of a kubeconfig, a new control plane, or the embedded server.
 *
 * @param nodes the nodes of the embedded server
 * @throws Error when the control plane cannot be started.
 */
export async function openServer(
  { kubeconfig, context, envtest }: ServerFlags,
  nodes: readonly NodeOptions[],
): Promise<OpenServer> {
  if (kubeconfig !== undefined) return { kubeconfig, context, close: () => Promise.resolve() };
  if (envtest) return openControlPlane();
  return openEmbedded(nodes);
}

/** Starts the embedded server; if it has nodes, it runs pods. */
export async function openEmbedded(nodes: readonly NodeOptions[] = []): Promise<OpenServer> {
  const cluster = await startDevCluster({ nodes });
  return { kubeconfig: parse(cluster.kubeconfig) as object, close: () => cluster.close() };
}

/** Starts the control plane whose binaries are in the folder `KUBEBUILDER_ASSETS`. */
async function openControlPlane(): Promise<OpenServer> {
  const plane = await startControlPlane({ assets: assetsFromEnvironment() });
  return { kubeconfig: parse(plane.kubeconfig) as object, close: () => plane.close() };
}
