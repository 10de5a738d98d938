import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { Environment } from './environment.js';
import { assertNone } from './written.js';

const rate = 1_000;
const restarts = 5;
const pauseMs = 4_000;
const durationMs = (restarts + 1) * pauseMs;
const timeoutMs = 240_000;

/**
 * Repeatedly kills the API server under 1,000 writes per second, and starts it again with the same folder. Each write
 * is repeated until it is answered. A cache has to report every version of every object once. @throws Error for a
 * version that the cache misses, reorders or reports twice
 */
export function measureRestarts(context: BenchmarkContext): Promise<Measurement[]> {
  const { say, signal } = context;
  return Environment.use(context, { keepsState: true }, async (environment) => {
    say(`kube: ${restarts} restarts of the API server under ${rate} writes per second`);
    const writer = await environment.startWriter();
    const informer = await environment.startInformer();
    await informer.call('start', {}, timeoutMs);
    const writing = writer.call('write', { rate, durationMs }, timeoutMs);
    writing.catch(() => undefined); // It is awaited below.
    const downs: number[] = [];
    while (downs.length < restarts) {
      await sleep(pauseMs, undefined, { signal });
      const killedAt = performance.now();
      await environment.restartServer();
      downs.push(performance.now() - killedAt);
    }
    const written = await writing;
    const counts = await writer.call('counts', {}, timeoutMs);
    const report = await informer.call('finish', { counts, timeoutMs: timeoutMs / 2 }, timeoutMs);
    assertNone('restarts', report);
    return [
      { metric: 'restarts of the API server under 1,000 writes per second', value: restarts, unit: '1' },
      { metric: 'writes across the restarts', value: written.writes, unit: '1' },
      { metric: 'of them repeated', value: written.failures, unit: '1' },
      {
        metric: 'versions that the cache missed, reordered or reported twice',
        value: report.violationCount,
        unit: '1',
      },
      { metric: 'lists after the first', value: report.lists - 1, unit: '1' },
      { metric: 'a restart, until the server serves', value: median(downs), unit: 'ms' },
    ];
  });
}
