import { Counter, Histogram, type Registry } from 'prom-client';
import type { CacheMetrics } from './metrics.js';

const durationBuckets = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 600];
const itemBuckets = [1, 10, 100, 1000, 10_000, 100_000];

/**
 * Returns metrics that `registry` exposes under the names of client-go's reflector. It may be called once per registry.
 */
export function prometheusCacheMetrics(registry: Registry): CacheMetrics {
  const registers = [registry];
  const labelNames = ['kind'];
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const lists = new Counter({
    name: 'reflector_lists_total',
    help: 'Completed lists of a cache.',
    labelNames,
    registers,
  });
  const watches = new Counter({
    name: 'reflector_watches_total',
    help: 'Watches of a cache, by the cause of their end.',
    labelNames: ['kind', 'end'],
    registers,
  });
  const [listDuration, watchDuration] = [
    histogram('reflector_list_duration_seconds', 'Duration of lists with all their pages.', durationBuckets),
    histogram('reflector_watch_duration_seconds', 'Duration of watches.', durationBuckets),
  ];
  const [listItems, watchItems] = [
    histogram('reflector_items_per_list', 'Objects per list.', itemBuckets),
    histogram('reflector_items_per_watch', 'Events per watch, including bookmarks.', itemBuckets),
  ];
  return {
    listed(kind, seconds, items) {
      lists.inc({ kind });
      listDuration.observe({ kind }, seconds);
      listItems.observe({ kind }, items);
    },
    watched(kind, end, seconds, events) {
      watches.inc({ kind, end });
      watchDuration.observe({ kind }, seconds);
      watchItems.observe({ kind }, events);
    },
  };
}
