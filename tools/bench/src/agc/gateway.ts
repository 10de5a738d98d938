import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runnerLabels } from '@interlock/api';
import { Pod, type Client } from '@interlock/kube';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { Inspector } from '../inspector.js';
import { memoryOf } from '../proxy/process-usage.js';
import { median, quantile } from '../statistics.js';
import { AgcEnvironment, namespace } from './agc-environment.js';

const rounds = 5;
const jobsOfRound = 20;
const warmUps = 5;
const groups = 10;
const sessionsOfGroup = 25;
const readings = 5;
const timeoutMs = 120_000;
const jobsTimeoutMs = 300_000;
/** Timeout until the work after the jobs is done. */
const restMs = 5_000;
const mebibyte = 1024 ** 2;

/** Measures the process of the AGC: the time from the delivery of a job to its pod, and its memory while it is idle. */
export function measureGateway(context: BenchmarkContext): Promise<Measurement[]> {
  return AgcEnvironment.use(async (environment) => {
    context.say('agc: from messages to pods');
    const pods = await measurePods(environment, context);
    context.say(`agc: idle with ${groups} RunnerGroups and ${groups * sessionsOfGroup} sessions`);
    return [...pods, ...(await measureRest(environment, context))];
  });
}

/** Runs one job after the other, each when the runner of the previous one has ended. */
async function measurePods(
  environment: AgcEnvironment,
  { signal }: BenchmarkContext,
): Promise<Measurement[]> {
  const { client, service } = environment;
  const createdAt = new Map<string, number>();
  const watching = new AbortController();
  const watch = watchPods(client, watching.signal, (plan) => createdAt.set(plan, Date.now()));
  await environment.createGroup('one', { maxListeners: 2 });
  const medians: number[] = [];
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const samples: number[] = [];
    for (let job = round === 0 ? -warmUps : 0; job < jobsOfRound; job++) {
      const { id } = service.enqueue({ repository: 'acme/web', labels: ['self-hosted', 'one'] });
      await environment.until(
        'the end of a job',
        timeoutMs,
        signal,
        () => service.job(id)?.conclusion === 'success',
      );
      const offered = service.events.entries({ type: 'job-offered', job: id }).at(0);
      const created = createdAt.get(service.job(id)?.planId ?? '');
      if (offered === undefined || created === undefined) throw new Error(`job ${id} ended without a pod`);
      if (job >= 0) samples.push(created - offered.at);
    }
    medians.push(median(samples));
    all.push(...samples);
  }
  watching.abort();
  await watch;
  return [
    { metric: 'message to pod, median', value: median(medians), unit: 'ms' },
    { metric: 'message to pod, p95', value: quantile(all, 0.95), unit: 'ms' },
  ];
}

/** Calls `take` with the plan of each worker pod that is created. */
async function watchPods(client: Client, signal: AbortSignal, take: (plan: string) => void): Promise<void> {
  const { resourceVersion } = await client.list(Pod, { namespace });
  try {
    for await (const event of client.watch(Pod, { namespace, resourceVersion, signal })) {
      if (event.type === 'ADDED') take(event.object.metadata.labels?.[runnerLabels.planId] ?? '');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Measures the idle AGC. Each group first receives as many jobs as it may have sessions; the sessions stay open until
 * several polls were empty.
 */
async function measureRest(
  environment: AgcEnvironment,
  { signal }: BenchmarkContext,
): Promise<Measurement[]> {
  const { service, app, folder } = environment;
  const names = Array.from({ length: groups }, (_one, index) => `many-${index}`);
  for (const name of names) {
    await environment.createGroup(name, { maxListeners: sessionsOfGroup, maxWorkers: 2 * sessionsOfGroup });
  }
  const jobs = names.flatMap((name) =>
    Array.from({ length: sessionsOfGroup }, () =>
      service.enqueue({ repository: 'acme/web', labels: ['self-hosted', name] }),
    ),
  );
  await environment.until('the end of all jobs', jobsTimeoutMs, signal, () =>
    jobs.every(({ id }) => service.job(id)?.conclusion === 'success'),
  );
  const waiting = (): number =>
    service
      .runners()
      .filter(({ session, busy, labels }) => session !== undefined && !busy && !labels.includes('one'))
      .length;
  await environment.until(
    `${groups * sessionsOfGroup} sessions`,
    timeoutMs,
    signal,
    () => waiting() >= groups * sessionsOfGroup,
  );
  await sleep(restMs, undefined, { signal });
  const inspector = await Inspector.connect(join(folder, 'log'));
  try {
    const all: { rss: number; heapUsed: number; anonymous: number }[] = [];
    while (all.length < readings) {
      const memory = await inspector.memory();
      all.push({ ...memory, anonymous: memoryOf(app.pid ?? 0).anonymous });
    }
    const name = `${groups} RunnerGroups, ${waiting()} idle sessions`;
    return [
      { metric: `RSS after GC, ${name}`, value: median(all.map(({ rss }) => rss)) / mebibyte, unit: 'MiB' },
      {
        metric: `anonymous memory, ${name}`,
        value: median(all.map(({ anonymous }) => anonymous)),
        unit: 'MiB',
      },
      {
        metric: `heap after GC, ${name}`,
        value: median(all.map(({ heapUsed }) => heapUsed)) / mebibyte,
        unit: 'MiB',
      },
    ];
  } finally {
    inspector.close();
  }
}
