import { once } from 'node:events';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { byLauncher, bySpawn, type Start } from './programs.js';

const runs = 5;
const questions = 2_000;
const mebibytes = 512;

/** Measures how fast the output of a program is read, and the response time of a long-running program. */
export async function measureStreams({ say }: BenchmarkContext): Promise<Measurement[]> {
  say(`process: ${mebibytes} MiB of output and ${questions} questions, ${runs} times in each way`);
  const rates = { launched: [] as number[], spawned: [] as number[] };
  const answers = { launched: [] as number[], spawned: [] as number[] };
  for (let run = 0; run < runs; run++) {
    rates.launched.push(await readOutput(byLauncher));
    rates.spawned.push(await readOutput(bySpawn));
    answers.launched.push(await ask(byLauncher));
    answers.spawned.push(await ask(bySpawn));
  }
  return [
    {
      metric: 'output that is read',
      value: median(rates.launched),
      unit: 'MiB/s',
      peer: median(rates.spawned),
    },
    {
      metric: 'an answer of a program that lives on',
      value: median(answers.launched) * 1_000,
      unit: 'µs',
      peer: median(answers.spawned) * 1_000,
    },
  ];
}

/** Returns MiB per second. */
async function readOutput(start: Start): Promise<number> {
  const startedAt = performance.now();
  const child = start('/usr/bin/head', '--bytes', String(mebibytes * 1024 ** 2), '/dev/zero');
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => (size += chunk.length));
  await once(child, 'close');
  if (size !== mebibytes * 1024 ** 2) throw new Error(`${size} bytes came`);
  return mebibytes / ((performance.now() - startedAt) / 1_000);
}

/** Returns the milliseconds for one request. */
async function ask(start: Start): Promise<number> {
  const child = start('/bin/cat');
  const answer = async () => {
    child.stdin.write('question\n');
    await once(child.stdout, 'data');
  };
  await answer();
  const startedAt = performance.now();
  for (let question = 0; question < questions; question++) await answer();
  const duration = performance.now() - startedAt;
  child.stdin.end();
  await once(child, 'close');
  return duration / questions;
}
