import type { WriteContext } from '../api/cluster.js';
import { adminUser } from '../auth/index.js';

/** The name by which pods request this scheduler, and under which it reports events. */
export const schedulerName = 'default-scheduler';

/** The user and the field manager of the scheduler. */
export const schedulerContext: WriteContext = {
  user: { ...adminUser, username: 'system:kube-scheduler' },
  manager: 'kube-scheduler',
  dryRun: false,
  warn: () => undefined,
};
