import type { BenchmarkContext } from '../benchmark.js';
import type { Figures } from './figures.js';
import type { Load } from './load.js';
import { memoryOf } from './process-usage.js';
import { startProxyNamed } from './proxies.js';

const offeredPerSecond = 10_000;
const seconds = 30;

/**
 * Measures how many requests per second the egress proxy refuses, and its memory while it receives more requests than
 * it can answer.
 */
export async function measureDenied(
  load: Load,
  figures: Figures,
  { say, signal }: BenchmarkContext,
): Promise<void> {
  signal.throwIfAborted();
  const name = 'handles';
  say(`proxy: ${name}, denied requests`);
  const proxy = await startProxyNamed(name, load.sinkPort);
  try {
    figures.add('denied requests, one after another', '1/s', name, await load.deniedPerSecond(proxy, 5));
    figures.add('RSS before 10,000 denied requests per second', 'MiB', name, memoryOf(proxy.pid).rss);
    const { offered, denied, refused, unanswered } = await load.offerDenied(proxy, offeredPerSecond, seconds);
    figures.add('denied requests: offered', '1/s', name, offered / seconds);
    figures.add('denied requests: answered with 403', '1/s', name, denied / seconds);
    figures.add('denied requests: answered otherwise or reset', '1/s', name, refused / seconds);
    figures.add('denied requests: not answered within 2 s', '1/s', name, unanswered / seconds);
    const { rss, peak } = memoryOf(proxy.pid);
    figures.add('RSS after 10,000 denied requests per second', 'MiB', name, rss);
    figures.add('maximum RSS of denied requests', 'MiB', name, peak);
  } finally {
    await proxy.stop();
  }
}
