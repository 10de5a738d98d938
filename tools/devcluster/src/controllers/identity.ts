import type { WriteContext } from '../api/cluster.js';
import { ADMIN } from '../auth/index.js';

/** Who the built-in controllers are. */
export const controller: WriteContext = {
  user: { ...ADMIN, username: 'system:kube-controller-manager' },
  manager: 'kube-controller-manager',
  dryRun: false,
  warn: () => undefined,
};
