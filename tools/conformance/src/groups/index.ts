import type { Group } from '../suite/case.js';
import { discovery } from './discovery.js';
import { events } from './events.js';
import { leases } from './leases.js';
import { lists } from './lists.js';
import { optimisticLocking } from './optimistic-locking.js';
import { tables } from './tables.js';
import { watches } from './watches.js';

/** Every group, in the order in which they are reported. */
export const groups: readonly Group[] = [
  discovery,
  lists,
  watches,
  tables,
  events,
  leases,
  optimisticLocking,
];
