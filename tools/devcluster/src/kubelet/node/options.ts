/** A taint of a node. */
interface Taint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** How a node runs its pods: `simulated` ones do what a test requests, `process` ones are processes of this machine. */
export type NodeRuntime = 'simulated' | 'process';

/** A node of the cluster. */
export interface NodeOptions {
  name: string;
  /** What the node has, over 4 cpu, 8Gi memory, 100Gi ephemeral-storage and 110 pods. All of it can be allocated. */
  capacity?: Readonly<Record<string, string>>;
  /** Further labels, or other values of those that every node has. */
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** Default: `simulated`. */
  runtime?: NodeRuntime;
}
