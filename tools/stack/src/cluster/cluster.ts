import type { DevCluster } from '@interlock/devcluster';
import type { Client } from '@interlock/kube';

/** The part of a kubeconfig that names the cluster, as an object. */
export interface AdminKubeconfig {
  clusters: { name: string; cluster: unknown }[];
}

/** The namespaces that the apps and the scenarios use. */
export interface Namespaces {
  /** Of the service accounts and leases of the apps. */
  readonly system: string;
  /** Of the GitOpsResponderConfig and of the Secrets that it names. */
  readonly config: string;
  /** Of the team whose changes are promoted. */
  readonly team: string;
  /** Of the objects of Flux. */
  readonly flux: string;
}

/** A kubeconfig file, for programs. */
export interface KubeconfigFile {
  readonly path: string;
  /** Absent: the current one. */
  readonly context?: string | undefined;
}

/** Returns the flags that kubectl and the programs of this project take for a kubeconfig file. */
export function kubeconfigFlags({ path, context }: KubeconfigFile): string[] {
  return [`--kubeconfig=${path}`, ...(context === undefined ? [] : [`--context=${context}`])];
}

/** A Kubernetes API, and the rights of a cluster admin in it. */
export interface Cluster {
  /** Of the API server. */
  readonly url: string;
  /** Where the API server is, for the kubeconfigs of the apps. */
  readonly admin: AdminKubeconfig;
  readonly namespaces: Namespaces;
  /** What only the embedded cluster offers: faults, compaction, restarts. */
  readonly embedded?: DevCluster | undefined;
  /** Returns a client with the rights of an admin, which its caller closes. `name`: its user agent and field manager. */
  connect(name: string): Client;
  /** Returns a kubeconfig file with the rights of an admin; one that has to be written first goes to `folder`. */
  kubeconfigFile(folder: string): KubeconfigFile;
  close(): Promise<void>;
}
