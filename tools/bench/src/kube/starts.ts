import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevCluster } from '@interlock/devcluster';
import { createClient, Namespace } from '@interlock/kube';
import { parse } from 'yaml';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { ServerProcess } from './server.js';

const runs = 9;

/**
 * Measures the time from the start of the embedded API server until its first response: in this process, and as a
 * separate process.
 */
export async function measureServerStarts({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  say(`kube: ${runs} starts in each way`);
  const inProcess: number[] = [];
  const asProcess: number[] = [];
  while (inProcess.length < runs) {
    signal.throwIfAborted();
    inProcess.push(await startInProcess());
    asProcess.push(await startAsProcess());
  }
  return [
    { metric: 'start to first answer, in process', value: median(inProcess), unit: 'ms' },
    { metric: 'start to first answer, as a process', value: median(asProcess), unit: 'ms' },
  ];
}

async function startInProcess(): Promise<number> {
  const startedAt = performance.now();
  const cluster = await startDevCluster();
  try {
    await firstAnswer(parse(cluster.kubeconfig) as object);
    return performance.now() - startedAt;
  } finally {
    await cluster.close();
  }
}

async function startAsProcess(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  const startedAt = performance.now();
  const server = await ServerProcess.start({ folder });
  try {
    await firstAnswer(server.kubeConfig);
    return performance.now() - startedAt;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lists the namespaces over a new connection. */
async function firstAnswer(kubeConfig: string | object): Promise<void> {
  const client = createClient({ kubeConfig, userAgent: 'bench', defaultFieldManager: 'bench' });
  try {
    await client.list(Namespace);
  } finally {
    await client.close();
  }
}
