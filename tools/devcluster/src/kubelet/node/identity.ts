import type { WriteContext } from '../../api/cluster.js';

/** Returns the identity of the kubelet of a node. */
export function kubeletContext(node: string): WriteContext {
  return {
    user: { username: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] },
    manager: 'kubelet',
    dryRun: false,
    warn: () => undefined,
  };
}
