import type { Benchmark, BenchmarkContext } from '../benchmark.js';
import { CpuQuota } from './cpu-quota.js';
import { measureDenied } from './denied.js';
import { Figures } from './figures.js';
import { Load } from './load.js';
import { cpuSecondsOf, memoryOf } from './process-usage.js';
import { proxiesHere, startProxyNamed, type RunningProxy } from './proxies.js';
import { measureTls } from './tls.js';

const rounds = 4;
const secondsOfTunnels = 3;
const mebibytes = 6 * 1024;
const echoes = 20_000;
/**
 * Numbers of idle tunnels. With more, the engine `sockets` would exceed its heap, and tinyproxy its number of threads.
 */
const idleTunnels: Readonly<Record<string, number[]>> = { sockets: [1_000], tinyproxy: [1_000] };
const share = 0.1;

/** Measures the egress proxy with both of its engines next to the other available proxies, in alternation on one machine. */
export const proxy: Benchmark = {
  description:
    'tunnels of the egress proxy compared with squid and tinyproxy: rate, throughput, CPU, latency, memory',
  async run(context) {
    const load = await Load.start();
    try {
      const names = proxiesHere();
      const figures = new Figures(names);
      await measureSpeed(load, names, figures, context);
      for (const name of names) await measureMemory(load, name, figures, context);
      await measureQuota(load, names, figures, context);
      await measureDenied(load, figures, context);
      await measureTls(load, figures, context);
      return figures.measurements();
    } finally {
      await load.stop();
    }
  },
};

async function measureSpeed(
  load: Load,
  names: readonly string[],
  figures: Figures,
  { say, signal }: BenchmarkContext,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    say(`proxy: round ${round + 1} of ${rounds}`);
    const direct = await load.echo(0, echoes);
    figures.add('round trip of 64 bytes, p50', 'µs', 'direct', direct.p50);
    figures.add('round trip of 64 bytes, p99', 'µs', 'direct', direct.p99);
    figures.add('tunnels', '1/s', 'direct', await load.tunnelsPerSecond(0, secondsOfTunnels));
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      signal.throwIfAborted();
      const running = await startProxyNamed(name, load.sinkPort);
      try {
        await measureSpeedOf(load, running, figures);
      } finally {
        await running.stop();
      }
    }
  }
}

async function measureSpeedOf(
  load: Load,
  { name, port, pid }: RunningProxy,
  figures: Figures,
): Promise<void> {
  /* Warms up, so that the figures do not include code that runs for the first time. */
  await load.tunnelsPerSecond(port, 1);
  const cpu = cpuSecondsOf(pid);
  const rate = await load.tunnelsPerSecond(port, secondsOfTunnels);
  const perTunnel = ((cpuSecondsOf(pid) - cpu) / (rate * secondsOfTunnels)) * 1e6;
  figures.add('tunnels', '1/s', name, rate);
  figures.add('CPU per tunnel', 'µs', name, perTunnel);
  for (const direction of ['down', 'up'] as const) {
    const before = cpuSecondsOf(pid);
    const speed = await load.gibibytesPerSecond(port, mebibytes, direction);
    figures.add(`bytes ${direction}`, 'GiB/s', name, speed);
    figures.add(`CPU per GiB ${direction}`, 's', name, (cpuSecondsOf(pid) - before) / (mebibytes / 1024));
  }
  const { p50, p99 } = await load.echo(port, echoes);
  figures.add('round trip of 64 bytes, p50', 'µs', name, p50);
  figures.add('round trip of 64 bytes, p99', 'µs', name, p99);
}

async function measureMemory(
  load: Load,
  name: string,
  figures: Figures,
  { say, signal }: BenchmarkContext,
): Promise<void> {
  signal.throwIfAborted();
  say(`proxy: memory of ${name}`);
  const running = await startProxyNamed(name, load.sinkPort);
  const { port, pid } = running;
  try {
    figures.add('RSS at the start', 'MiB', name, memoryOf(pid).rss);
    for (const direction of ['down', 'up'] as const)
      await load.gibibytesPerSecond(port, mebibytes, direction);
    figures.add('maximum RSS, 12 GiB', 'MiB', name, memoryOf(pid).peak);
    await load.tunnelsPerSecond(port, 1);
    figures.add('maximum RSS, 12 GiB and 1 s of tunnels', 'MiB', name, memoryOf(pid).peak);
    for (const count of idleTunnels[name] ?? [1_000, 5_000]) {
      await load.whileIdle(port, count, () => {
        const { rss, anonymous } = memoryOf(pid);
        figures.add(`RSS with ${count} idle tunnels`, 'MiB', name, rss);
        figures.add(`RSS with ${count} idle tunnels, anonymous memory`, 'MiB', name, anonymous);
      });
    }
  } finally {
    await running.stop();
  }
}

/** Measures with the default CPU limit of the chart, if this process is allowed to set one. */
async function measureQuota(
  load: Load,
  names: readonly string[],
  figures: Figures,
  { say, signal }: BenchmarkContext,
): Promise<void> {
  const quota = CpuQuota.create(share);
  if (quota === undefined)
    return say('proxy: control groups cannot be created: nothing is measured at 100m CPU');
  try {
    for (const name of names) {
      signal.throwIfAborted();
      say(`proxy: ${name} at 100m CPU`);
      const running = await startProxyNamed(name, load.sinkPort, { quota });
      try {
        figures.add('start at 100m CPU', 'ms', name, running.startedIn);
        figures.add('tunnels at 100m CPU', '1/s', name, await load.tunnelsPerSecond(running.port, 10, 16));
        const speed = await load.gibibytesPerSecond(running.port, 1024, 'down');
        figures.add('bytes down at 100m CPU', 'MiB/s', name, speed * 1024);
      } finally {
        await running.stop();
      }
    }
  } finally {
    await quota.remove();
  }
}
