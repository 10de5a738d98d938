import type { WriteContext } from '../api/cluster.js';
import { adminUser } from '../auth/index.js';

/** The identity of the built-in controllers. */
export const controller: WriteContext = {
  user: { ...adminUser, username: 'system:kube-controller-manager' },
  manager: 'kube-controller-manager',
  dryRun: false,
  warn: () => undefined,
};
