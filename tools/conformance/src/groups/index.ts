import type { Group } from '../suite/case.js';
import { admissionWebhooks } from './admission-webhooks.js';
import { optimisticLocking } from './optimistic-locking.js';
import { rbac } from './rbac.js';
import { reviews } from './reviews.js';
import { serviceAccounts } from './service-accounts.js';
import { tokens } from './tokens.js';

/** Every group, in the order in which they are reported. */
export const groups: readonly Group[] = [
  optimisticLocking,
  rbac,
  reviews,
  tokens,
  serviceAccounts,
  admissionWebhooks,
];
