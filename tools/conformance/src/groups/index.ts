import type { Group } from '../suite/case.js';
import { optimisticLocking } from './optimistic-locking.js';
import { rbac } from './rbac.js';

/** Every group, in the order in which they are reported. */
export const groups: readonly Group[] = [optimisticLocking, rbac];
