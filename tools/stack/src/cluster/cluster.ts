import type { DevCluster } from '@interlock/devcluster';
import type { Client } from '@interlock/kube';

/** The cluster entry of a kubeconfig, as an object. */
export interface AdminKubeconfig {
  clusters: { name: string; cluster: unknown }[];
}

/** The namespaces that the apps and the scenarios use. */
export interface Namespaces {
  /** Namespace of the service accounts and leases of the apps. */
  readonly system: string;
  /** Namespace of the GitOpsResponderConfig and of the Secrets that it names. */
  readonly config: string;
  /** Namespace of the team whose changes are promoted. */
  readonly team: string;
  /** Namespace of the Flux objects. */
  readonly flux: string;
}

/** A kubeconfig file, for programs. */
export interface KubeconfigFile {
  readonly path: string;
  /** Default: the current context. */
  readonly context?: string | undefined;
}

/** Returns the flags for a kubeconfig file that kubectl and the programs of this project accept. */
export function kubeconfigFlags({ path, context }: KubeconfigFile): string[] {
  return [`--kubeconfig=${path}`, ...(context === undefined ? [] : [`--context=${context}`])];
}

/** A Kubernetes API with the permissions of a cluster administrator. */
export interface Cluster {
  /** URL of the API server. */
  readonly url: string;
  /** The API server, for the kubeconfigs of the apps. */
  readonly admin: AdminKubeconfig;
  readonly namespaces: Namespaces;
  /** Functions that only the embedded cluster offers: faults, compaction, restarts. */
  readonly embedded?: DevCluster | undefined;
  /**
   * Returns a client with the permissions of an administrator, which the caller closes. `name` is its user agent and
   * field manager.
   */
  connect(name: string): Client;
  /**
   * Returns a kubeconfig file with the permissions of an administrator. If the file does not exist yet, it is written
   * to `folder`.
   */
  kubeconfigFile(folder: string): KubeconfigFile;
  close(): Promise<void>;
}
