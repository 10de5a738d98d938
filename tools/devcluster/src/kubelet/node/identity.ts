import type { WriteContext } from '../../api/cluster.js';
import { ADMIN } from '../../auth/index.js';

/** Returns who the kubelet of a node is. */
export function kubeletContext(node: string): WriteContext {
  return {
    user: { ...ADMIN, username: `system:node:${node}` },
    manager: 'kubelet',
    dryRun: false,
    warn: () => undefined,
  };
}
