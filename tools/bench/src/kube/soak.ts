import type { BenchmarkContext, Measurement } from '../benchmark.js';
import type { Memory } from '../inspector.js';
import { Environment } from './environment.js';
import { latencyFigures, memoryFigure } from './figures.js';
import { namespaceAt } from './objects.js';
import type { RemoteProcess } from '../remote.js';
import type { ServerProcess } from './server.js';
import type { WatchReport, WatchScope, WatcherMethods } from './watchers.js';
import type { WriteReport, WriterMethods } from './writer.js';
import { assertNone } from './written.js';

const rate = 1_000;
const durationMs = 60_000;
/** Fills the history of the server, which is limited to a number of changes. */
const warmUpMs = 15_000;
/* Most clients watch one namespace, and some controllers watch all namespaces. */
const narrowWatchers = 90;
const wideWatchers = 10;
const finishTimeoutMs = 60_000;
const answerTimeoutMs = 300_000;
/** Allowed growth of the heap between the two readings, both after a garbage collection. */
const mostGrowth = 1.2;

/**
 * Writes 10,000 objects at 1,000 writes per second for a minute, while 100 watchers check that each event arrives once and in order.
 *
 * @throws Error for an event that is missed, reordered or duplicated, and for memory that grows
 */
export function measureSoak(context: BenchmarkContext): Promise<Measurement[]> {
  return Environment.use(context, { inspect: true }, async (environment) => {
    const { server } = environment;
    const empty = await server.memory();
    context.say('kube: 10,000 objects');
    const writer = await environment.startWriter();
    const watchers = await environment.startWatchers();
    await watchers.call('watch', watchScopes(), answerTimeoutMs);
    await writer.call('write', { rate, durationMs: warmUpMs }, answerTimeoutMs);
    const before = await server.memory();
    const watcherCount = narrowWatchers + wideWatchers;
    context.say(`kube: ${rate} writes per second for ${durationMs / 1000} s, ${watcherCount} watchers`);
    const load = await run(server, writer, watchers);
    const { now, most } = await server.resident();
    const after = await server.memory();
    assertBounded(before.heapUsed, after.heapUsed);
    return [
      ...loadFigures(load),
      ...memoryFigures('no object', empty),
      ...memoryFigures('at the start', before),
      memoryFigure('RSS of the server, most', most),
      memoryFigure('RSS of the server, at the end', now),
      ...memoryFigures('at the end', after),
    ];
  });
}

interface Load {
  written: WriteReport;
  seen: WatchReport;
  cpuMs: number;
  elapsedMs: number;
}

async function run(
  server: ServerProcess,
  writer: RemoteProcess<WriterMethods>,
  watchers: RemoteProcess<WatcherMethods>,
): Promise<Load> {
  await watchers.call('begin', {}, answerTimeoutMs);
  const [cpuBefore, startedAt] = [await server.cpuMs(), performance.now()];
  const written = await writer.call('write', { rate, durationMs }, answerTimeoutMs);
  const cpuMs = (await server.cpuMs()) - cpuBefore;
  const elapsedMs = performance.now() - startedAt;
  const counts = await writer.call('counts', {}, answerTimeoutMs);
  const seen = await watchers.call('finish', { counts, timeoutMs: finishTimeoutMs }, answerTimeoutMs);
  assertNone('soak', seen);
  if (written.failures > 0) throw new Error(`${written.failures} writes failed: ${written.lastFailure}`);
  return { written, seen, cpuMs, elapsedMs };
}

function loadFigures({ written, seen, cpuMs, elapsedMs }: Load): Measurement[] {
  const eventsPerSecond = seen.events / (elapsedMs / 1000);
  return [
    { metric: `writes reached, of ${rate}`, value: written.rate, unit: 'per second' },
    ...latencyFigures('a write to its answer', written.latency),
    {
      metric: `events to ${narrowWatchers} watchers of a namespace and ${wideWatchers} of all`,
      value: eventsPerSecond,
      unit: 'per second',
    },
    { metric: 'events missed, reordered or duplicated', value: seen.violationCount, unit: '1' },
    ...latencyFigures('a write to its event', seen.latency),
    { metric: 'CPU of the server', value: cpuMs / elapsedMs, unit: 'cores' },
  ];
}

function memoryFigures(when: string, { rss, heapUsed }: Memory): Measurement[] {
  return [
    memoryFigure(`RSS of the server after GC, ${when}`, rss),
    memoryFigure(`heap of the server after GC, ${when}`, heapUsed),
  ];
}

function watchScopes(): WatchScope[] {
  return [
    ...Array.from({ length: narrowWatchers }, (_, index) => ({ namespace: namespaceAt(index) })),
    ...Array.from({ length: wideWatchers }, () => ({})),
  ];
}

function assertBounded(before: number, after: number): void {
  if (after <= before * mostGrowth) return;
  const [from, to] = [before, after].map((bytes) => Math.round(bytes / 1024 ** 2));
  throw new Error(`the heap of the server grows: ${from} MiB at the start, ${to} MiB at the end`);
}
