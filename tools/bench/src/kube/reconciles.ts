import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { Environment } from './environment.js';
import { latencyFigures, memoryFigure } from './figures.js';
import type { InformerMethods } from './informer.js';
import type { RemoteProcess } from '../remote.js';
import type { WriterMethods } from './writer.js';
import { assertNone } from './written.js';

/** Writes per second: the rate of a busy cluster, and the maximum of the embedded API server. */
const rates = [100, 1_000];
const durationMs = 20_000;
const warmUpMs = 5_000;
const timeoutMs = 120_000;

/** Measures the memory of a cache of 10,000 objects, and the delay from an event to its reconcile. */
export function measureReconciles(context: BenchmarkContext): Promise<Measurement[]> {
  return Environment.use(context, {}, async (environment) => {
    context.say('kube: a cache of 10,000 objects, and its controller');
    const writer = await environment.startWriter();
    const informer = await environment.startInformer();
    const empty = await informer.call('memory', {}, timeoutMs);
    const startMs = await informer.call('start', {}, timeoutMs);
    const full = await informer.call('memory', {}, timeoutMs);
    const reports: Measurement[] = [];
    for (const rate of rates) reports.push(...(await measureRate(rate, writer, informer)));
    return [
      { metric: 'start until 10,000 objects are cached and reconciled', value: startMs, unit: 'ms' },
      memoryFigure('RSS of a controller after GC, no cache', empty.rss),
      memoryFigure('RSS of a controller after GC, 10,000 objects cached', full.rss),
      memoryFigure('heap after GC that 10,000 cached objects need', full.heapUsed - empty.heapUsed),
      ...reports,
    ];
  });
}

async function measureRate(
  rate: number,
  writer: RemoteProcess<WriterMethods>,
  informer: RemoteProcess<InformerMethods>,
): Promise<Measurement[]> {
  await writer.call('write', { rate, durationMs: warmUpMs }, timeoutMs);
  await informer.call('begin', {}, timeoutMs);
  const written = await writer.call('write', { rate, durationMs }, timeoutMs);
  const counts = await writer.call('counts', {}, timeoutMs);
  const report = await informer.call('finish', { counts, timeoutMs: timeoutMs / 2 }, timeoutMs);
  assertNone('reconciles', report);
  const load = `at ${rate} writes per second`;
  return [
    { metric: `writes reached beside the cache, of ${rate}`, value: written.rate, unit: 'per second' },
    ...latencyFigures(`a watch event to the start of its reconcile, ${load}`, report.queued),
    ...latencyFigures(`a write to the start of its reconcile, ${load}`, report.latency),
  ];
}
