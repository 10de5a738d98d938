import type { Benchmark } from '../benchmark.js';
import { measureReconciles } from './reconciles.js';
import { measureRestarts } from './restarts.js';
import { measureSoak } from './soak.js';
import { measureServerStarts } from './starts.js';

/** The embedded API server and libs/kube under load; an event that is missed, reordered or duplicated is a failure. */
export const kube: Benchmark = {
  description:
    'the embedded API server and caches: starts, 1,000 writes per second to 10,000 objects, 100 watchers, restarts',
  run: async (context) => [
    ...(await measureServerStarts(context)),
    ...(await measureSoak(context)),
    ...(await measureReconciles(context)),
    ...(await measureRestarts(context)),
  ],
};
