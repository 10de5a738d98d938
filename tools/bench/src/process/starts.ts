import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { byLauncher, bySpawn, type Start } from './programs.js';

const runs = 100;
const mebibyte = 1024 ** 2;
const bufferBytes = 64 * 1024;
const objectsAtOnce = 10_000;

/**
 * Resident sizes in MiB at which starts are measured, and the kind of memory by which the process grows to that size.
 */
const sizes: readonly { size: number; of: 'buffers' | 'objects' }[] = [
  { size: 370, of: 'buffers' },
  { size: 1_100, of: 'buffers' },
  { size: 1_800, of: 'objects' },
];

interface Sample {
  /** Milliseconds until the call returns, during which the process is blocked. */
  call: number;
  /** Milliseconds during which the event loop was busy until the end. */
  busy: number;
  /** Milliseconds until the end. */
  wall: number;
}

const whatOf: Readonly<Record<keyof Sample, string>> = {
  call: 'the call that starts a program',
  busy: 'event loop busy for a program',
  wall: 'a program from start to end',
};

/** Starts `true`, which ends immediately, with both ways in turn, in a process that grows. */
export async function measureStarts({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const ballast: unknown[] = [];
  const results = await measureAt('', say);
  for (const { size, of } of sizes) {
    signal.throwIfAborted();
    const before = residentMebibytes();
    while (residentMebibytes() < size) grow(ballast, of);
    const grown = Math.round(residentMebibytes() - before);
    results.push(...(await measureAt(` after ${grown} MiB of ${of}`, say)));
  }
  return results;
}

function grow(ballast: unknown[], of: 'buffers' | 'objects'): void {
  if (of === 'buffers') ballast.push(Buffer.alloc(bufferBytes, 1));
  else
    ballast.push(Array.from({ length: objectsAtOnce }, (_, index) => ({ index, name: `object ${index}` })));
}

async function measureAt(grown: string, say: (line: string) => void): Promise<Measurement[]> {
  const size = `${Math.round(residentMebibytes())} MiB${grown}`;
  say(`process: ${runs} starts in each way at ${size}`);
  const launched: Sample[] = [];
  const spawned: Sample[] = [];
  await startOnce(byLauncher);
  for (let run = 0; run < runs; run++) {
    launched.push(await startOnce(byLauncher));
    spawned.push(await startOnce(bySpawn));
  }
  const medianOf = (samples: readonly Sample[], key: keyof Sample) => median(samples.map((one) => one[key]));
  return (['call', 'busy', 'wall'] as const).map((key) => ({
    metric: `${whatOf[key]}, at ${size}`,
    value: medianOf(launched, key),
    unit: 'ms',
    peer: medianOf(spawned, key),
  }));
}

async function startOnce(start: Start): Promise<Sample> {
  const before = performance.eventLoopUtilization();
  const startedAt = performance.now();
  const child = start('/bin/true');
  const call = performance.now() - startedAt;
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined).end();
  child.stdout.resume();
  await closed;
  const wall = performance.now() - startedAt;
  return { call, wall, busy: performance.eventLoopUtilization(before).active };
}

function residentMebibytes(): number {
  return process.memoryUsage.rss() / mebibyte;
}
