import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { Environment } from './environment.js';
import { assertNone } from './written.js';

const rate = 1_000;
const durationMs = 20_000;
const warmUpMs = 5_000;
const timeoutMs = 120_000;
const mebibyte = 1024 ** 2;

/** Measures what a cache of 10,000 objects holds, and how soon a reconcile starts after an event, at 1,000 writes per second. */
export function measureReconciles(context: BenchmarkContext): Promise<Measurement[]> {
  return Environment.use(context, {}, async (environment) => {
    context.say('kube: a cache of 10,000 objects, and its controller');
    const writer = await environment.startWriter();
    const informer = await environment.startInformer();
    const empty = await informer.call('memory', {}, timeoutMs);
    const startMs = await informer.call('start', {}, timeoutMs);
    const full = await informer.call('memory', {}, timeoutMs);
    await writer.call('write', { rate, durationMs: warmUpMs }, timeoutMs);
    await informer.call('begin', {}, timeoutMs);
    const written = await writer.call('write', { rate, durationMs }, timeoutMs);
    const counts = await writer.call('counts', {}, timeoutMs);
    const report = await informer.call('finish', { counts, timeoutMs: timeoutMs / 2 }, timeoutMs);
    assertNone('reconciles', report);
    const { queued, latency } = report;
    const ms = (metric: string, value: number | undefined) => ({ metric, value: value ?? 0, unit: 'ms' });
    return [
      ms('start until 10,000 objects are cached and reconciled', startMs),
      { metric: 'RSS after GC, no cache', value: empty.rss / mebibyte, unit: 'MiB' },
      { metric: 'RSS after GC, 10,000 objects cached', value: full.rss / mebibyte, unit: 'MiB' },
      {
        metric: 'heap after GC that 10,000 cached objects need',
        value: (full.heapUsed - empty.heapUsed) / mebibyte,
        unit: 'MiB',
      },
      { metric: 'writes beside the cache, reached', value: written.rate, unit: 'per second' },
      ms('a watch event to the start of its reconcile, median', queued?.median),
      ms('a watch event to the start of its reconcile, p99', queued?.p99),
      ms('a write to the start of its reconcile, median', latency?.median),
      ms('a write to the start of its reconcile, p99', latency?.p99),
    ];
  });
}
