import type { Group } from '../suite/case.js';
import { customResources } from './custom-resources/index.js';
import { optimisticLocking } from './optimistic-locking.js';

/** Every group, in the order in which they are reported. */
export const groups: readonly Group[] = [optimisticLocking, customResources];
