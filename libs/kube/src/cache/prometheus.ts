import { Counter, Histogram, type Registry } from 'prom-client';
import type { CacheMetrics } from './metrics.js';

const durationBuckets = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 600];
const itemBuckets = [1, 10, 100, 1000, 10_000, 100_000];

/** @returns metrics that `registry` exposes under the names of client-go's reflector. May be called once per registry. */
export function prometheusCacheMetrics(registry: Registry): CacheMetrics {
  const common = { labelNames: ['kind'], registers: [registry] };
  const lists = new Counter({
    ...common,
    name: 'reflector_lists_total',
    help: 'Lists that a cache completed.',
  });
  const listDuration = new Histogram({
    ...common,
    name: 'reflector_list_duration_seconds',
    help: 'Duration of the lists, all pages.',
    buckets: durationBuckets,
  });
  const listItems = new Histogram({
    ...common,
    name: 'reflector_items_per_list',
    help: 'Objects in the lists.',
    buckets: itemBuckets,
  });
  const watches = new Counter({
    name: 'reflector_watches_total',
    help: 'Watches of a cache, by what ended them.',
    labelNames: ['kind', 'end'],
    registers: [registry],
  });
  const watchDuration = new Histogram({
    ...common,
    name: 'reflector_watch_duration_seconds',
    help: 'Duration of the watches.',
    buckets: durationBuckets,
  });
  const watchItems = new Histogram({
    ...common,
    name: 'reflector_items_per_watch',
    help: 'Events of the watches, bookmarks included.',
    buckets: itemBuckets,
  });
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
