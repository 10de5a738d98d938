import type { AdmissionRequest, Cluster } from '../registry/types.js';

export type {
  AdmissionPlugin,
  AdmissionRequest,
  AdmissionView,
  Cluster,
  WriteContext,
} from '../registry/types.js';

/** Runs admission over a write. Throws what a plugin throws. */
export async function admit(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.mutate?.(request, cluster);
}

/** Runs the validating half of admission. Throws what a plugin throws. */
export async function review(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.validate?.(request, cluster);
}
