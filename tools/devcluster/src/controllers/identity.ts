import type { WriteContext } from '../api/cluster.js';
import { adminUser } from '../auth/index.js';

/** Who the built-in controllers are. */
export const controller: WriteContext = {
  user: { ...adminUser, username: 'system:kube-controller-manager' },
  manager: 'kube-controller-manager',
  dryRun: false,
  warn: () => undefined,
};
