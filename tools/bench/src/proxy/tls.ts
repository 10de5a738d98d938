import type { BenchmarkContext } from '../benchmark.js';
import type { Figures } from './figures.js';
import type { Load } from './load.js';
import { cpuSecondsOf, memoryOf } from './process-usage.js';
import { proxiesHere, startProxyNamed, type RunningProxy } from './proxies.js';

const rounds = 3;
const secondsOfTunnels = 3;
const mebibytes = 1024;
const idleTunnels = 1_000;

/** Measures the proxies with clients that connect over TLS, as the gmc configures them, if the load generator can use TLS. */
export async function measureTls(
  load: Load,
  figures: Figures,
  { say, signal }: BenchmarkContext,
): Promise<void> {
  if (!load.hasTls) return say('proxy: the headers of OpenSSL are missing: nothing is measured over TLS');
  const names = proxiesHere(true);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      signal.throwIfAborted();
      say(`proxy: ${name} over TLS, round ${round + 1} of ${rounds}`);
      await measureOne(load, name, figures);
    }
  }
}

async function measureOne(load: Load, name: string, figures: Figures): Promise<void> {
  const proxy = await startProxyNamed(name, load.sinkPort, { isTls: true });
  const { pid } = proxy;
  try {
    await load.tunnelsPerSecond(proxy, 1);
    const cpu = cpuSecondsOf(pid);
    const rate = await load.tunnelsPerSecond(proxy, secondsOfTunnels);
    figures.add('tunnels over TLS', '1/s', name, rate);
    const perTunnel = ((cpuSecondsOf(pid) - cpu) / (rate * secondsOfTunnels)) * 1e6;
    figures.add('CPU per tunnel over TLS', 'µs', name, perTunnel);
    if (name !== 'squid')
      figures.add('tunnels without TLS beside TLS', '1/s', name, await plainTunnels(load, proxy));
    const before = cpuSecondsOf(pid);
    const speed = await load.gibibytesPerSecond(proxy, mebibytes, 'down');
    figures.add('bytes down over TLS', 'MiB/s', name, speed * 1024);
    figures.add('CPU per GiB down over TLS', 's', name, (cpuSecondsOf(pid) - before) / (mebibytes / 1024));
    await load.whileIdle(proxy, idleTunnels, () => {
      const metric = `RSS with ${idleTunnels} idle tunnels over TLS, anonymous memory`;
      figures.add(metric, 'MiB', name, memoryOf(pid).anonymous);
    });
  } finally {
    await proxy.stop();
  }
}

/** Returns the tunnels a second of clients without TLS, such as jobs, on the same port. */
async function plainTunnels(load: Load, { port }: RunningProxy): Promise<number> {
  await load.tunnelsPerSecond(port, 1);
  return load.tunnelsPerSecond(port, secondsOfTunnels);
}
