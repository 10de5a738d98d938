import type { AdmissionRequest, Cluster } from '../registry/types.js';

export type {
  AdmissionPlugin,
  AdmissionRequest,
  AdmissionView,
  Cluster,
  WriteContext,
} from '../registry/types.js';

/** Runs admission for a write. Throws the error of a plugin. */
export async function admit(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.mutate?.(request, cluster);
}

/** Runs validating admission. Throws the error of a plugin. */
export async function review(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.validate?.(request, cluster);
}
