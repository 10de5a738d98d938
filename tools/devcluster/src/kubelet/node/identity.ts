import type { WriteContext } from '../../api/cluster.js';

/** Returns who the kubelet of a node is. */
export function kubeletContext(node: string): WriteContext {
  return {
    user: { username: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] },
    manager: 'kubelet',
    dryRun: false,
    warn: () => undefined,
  };
}
