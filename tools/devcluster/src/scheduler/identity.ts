import type { WriteContext } from '../api/cluster.js';
import { adminUser } from '../auth/index.js';

/** The name by which pods ask for this scheduler, and under which it reports. */
export const schedulerName = 'default-scheduler';

/** Who the scheduler is. */
export const schedulerContext: WriteContext = {
  user: { ...adminUser, username: 'system:kube-scheduler' },
  manager: 'kube-scheduler',
  dryRun: false,
  warn: () => undefined,
};
