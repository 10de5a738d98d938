import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { Environment } from './environment.js';
import { namespaceAt } from './objects.js';
import type { WatchScope } from './watchers.js';
import { assertNone } from './written.js';

const rate = 1_000;
const durationMs = 60_000;
/** Fills the history of the server, which is bounded by a number of changes. */
const warmUpMs = 15_000;
/* Most clients watch one namespace, and some controllers all of them. */
const narrowWatchers = 90;
const wideWatchers = 10;
const finishTimeoutMs = 60_000;
const answerTimeoutMs = 300_000;
/** What the heap may grow by between the two readings, both after a garbage collection. */
const mostGrowth = 1.2;
const mebibyte = 1024 ** 2;

/**
 * Writes 10,000 objects at 1,000 writes per second for a minute, while 100 watchers check that each event arrives once and in order.
 *
 * @throws Error for an event that is missed, reordered or duplicated, and for memory that grows
 */
export function measureSoak(context: BenchmarkContext): Promise<Measurement[]> {
  const { say } = context;
  return Environment.use(context, { inspect: true }, async (environment) => {
    const { server } = environment;
    const empty = await server.memory();
    say('kube: 10,000 objects');
    const writer = await environment.startWriter();
    const watchers = await environment.startWatchers();
    await watchers.call('watch', watchScopes(), answerTimeoutMs);
    await writer.call('write', { rate, durationMs: warmUpMs }, answerTimeoutMs);
    const before = await server.memory();
    await watchers.call('begin', {}, answerTimeoutMs);
    say(
      `kube: ${rate} writes per second for ${durationMs / 1000} s, ${narrowWatchers + wideWatchers} watchers`,
    );
    const [cpuBefore, startedAt] = [await server.cpuMs(), performance.now()];
    const written = await writer.call('write', { rate, durationMs }, answerTimeoutMs);
    const cpu = (await server.cpuMs()) - cpuBefore;
    const elapsed = performance.now() - startedAt;
    const counts = await writer.call('counts', {}, answerTimeoutMs);
    const seen = await watchers.call('finish', { counts, timeoutMs: finishTimeoutMs }, answerTimeoutMs);
    assertNone('soak', seen);
    if (written.failures > 0) throw new Error(`${written.failures} writes failed: ${written.lastFailure}`);
    const resident = await server.resident();
    const after = await server.memory();
    assertBounded(before.heapUsed, after.heapUsed);
    const ms = (metric: string, value: number | undefined) => ({ metric, value: value ?? 0, unit: 'ms' });
    const mib = (metric: string, bytes: number) => ({ metric, value: bytes / mebibyte, unit: 'MiB' });
    return [
      { metric: 'writes, reached', value: written.rate, unit: 'per second' },
      ms('a write to its answer, median', written.latency.median),
      ms('a write to its answer, p99', written.latency.p99),
      ms('a write to its answer, most', written.latency.most),
      {
        metric: 'events, 90 watchers of a namespace, 10 of all',
        value: seen.events / (elapsed / 1000),
        unit: 'per second',
      },
      { metric: 'events missed, reordered or duplicated', value: seen.violationCount, unit: '1' },
      ms('a write to its event, median', seen.latency?.median),
      ms('a write to its event, p99', seen.latency?.p99),
      ms('a write to its event, most', seen.latency?.most),
      { metric: 'CPU of the server', value: cpu / elapsed, unit: 'cores' },
      mib('RSS of the server after GC, no object', empty.rss),
      mib('RSS of the server after GC, at the start', before.rss),
      mib('RSS of the server, most', resident.most),
      mib('RSS of the server, at the end', resident.now),
      mib('RSS of the server after GC, at the end', after.rss),
      mib('heap of the server after GC, no object', empty.heapUsed),
      mib('heap of the server after GC, at the start', before.heapUsed),
      mib('heap of the server after GC, at the end', after.heapUsed),
    ];
  });
}

function watchScopes(): WatchScope[] {
  return [
    ...Array.from({ length: narrowWatchers }, (_, index) => ({ namespace: namespaceAt(index) })),
    ...Array.from({ length: wideWatchers }, () => ({})),
  ];
}

function assertBounded(before: number, after: number): void {
  if (after <= before * mostGrowth) return;
  const [from, to] = [before, after].map((bytes) => Math.round(bytes / mebibyte));
  throw new Error(`the heap of the server grows: ${from} MiB at the start, ${to} MiB at the end`);
}
