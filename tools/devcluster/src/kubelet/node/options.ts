/** A taint of a node. */
interface Taint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** The runtime of a node: pods are `simulated` as a test requests, or each container runs as a local `process`. */
export type NodeRuntime = 'simulated' | 'process';

/** A node of the cluster. */
export interface NodeOptions {
  name: string;
  /**
   * Capacity of the node, merged with the default of 4 cpu, 8Gi memory, 100Gi ephemeral-storage and 110 pods. All of it
   * is allocatable.
   */
  capacity?: Readonly<Record<string, string>>;
  /** Additional labels, or other values of the default labels. */
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** Default: `simulated`. */
  runtime?: NodeRuntime;
}
