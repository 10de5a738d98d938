import type { Clock } from '@interlock/base';
import type { Cluster } from '../api/cluster.js';
import { Kubelet } from './kubelet.js';
import { machineAddress as hostIp } from './node/object.js';
import type { ImageTable } from './process/image-table.js';
import { ProcessRuntime } from './process/process-runtime.js';

/** A node whose pods this process runs. */
export interface KubeletOptions {
  nodeName: string;
  /** Whether containers get namespaces; default: when the machine allows it. */
  namespaces?: boolean | undefined;
}

export interface KubeletEnvironment {
  cluster: Cluster;
  clock: Clock;
  images: ImageTable;
  /** Addresses of host names that the processes of pods can resolve. */
  hosts: Readonly<Record<string, string>>;
  apiServer: { host: string; port: number };
}

/** Starts a kubelet and registers it with the API server. Returns a function that stops it and its containers. */
export function startKubelet(
  { nodeName, namespaces }: KubeletOptions,
  { cluster, clock, images, hosts, apiServer }: KubeletEnvironment,
): () => Promise<void> {
  const runtime = new ProcessRuntime({ cluster, clock, images, hosts, apiServer, hostIp, namespaces });
  const kubelet = new Kubelet({ cluster, clock, runtime, nodeName, hostIp });
  cluster.kubelets.set(nodeName, kubelet);
  kubelet.start();
  return async () => {
    cluster.kubelets.delete(nodeName);
    await kubelet.close();
  };
}
