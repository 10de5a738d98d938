import { sleep, systemClock } from '@interlock/base';
import type { Benchmark, BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import type { Samples } from '../promoter/samples.js';
import { TenantFleet } from './fleet.js';

const tenants = 200;
const broken = 20;
const atOnce = 16;
const runs = 5;
/**
 * Reconciles per hour: an idle tenant is reconciled once an hour, and a tenant whose Secret cannot be used is
 * reconciled every 15 s.
 */
const passesPerHour = { atRest: 1, broken: 240 };

const reconcilesMetric = 'controller_runtime_reconcile_total';
const callsMetric = 'rest_client_requests_total';

const found = ['CredentialUnavailable', 'SecretFound'] as const;
const notFound = ['CredentialUnavailable', 'SecretNotFound'] as const;
const namesOf = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${kind}-${index}`);

/** Measures a gmc with 200 tenants. No pods run, so the figures include only the gmc and the API server. */
export const gmc: Benchmark = {
  description:
    '200 tenants: time to provision all, time to add one next to broken ones, API calls while idle, memory',
  run: (context) => TenantFleet.use(context.signal, (fleet) => measure(fleet, context)),
};

async function measure(fleet: TenantFleet, { say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const names = namesOf('tenant', tenants);
  say(`gmc: ${tenants} tenants`);
  const startedAt = performance.now();
  await inTurn(names, (name) => fleet.create(name, true, signal));
  await fleet.until(names, ...found, signal);
  const allMs = performance.now() - startedAt;
  const rss = await fleet.residentMebibytes();
  await settled(fleet, signal);
  say('gmc: adding a tenant');
  const alone = await oneMore(fleet, 'alone', signal);
  await settled(fleet, signal);
  say('gmc: idle tenants');
  const pass = await costOfPass(fleet, names, signal);
  say(`gmc: ${broken} tenants without their Secret`);
  const without = namesOf('broken', broken);
  await inTurn(without, (name) => fleet.create(name, false, signal));
  await fleet.until(without, ...notFound, signal);
  const beside = await oneMore(fleet, 'beside', signal);
  const brokenPass = await costOfPass(fleet, without, signal);
  const hourly = 'per tenant and hour';
  return [
    { metric: `time to provision ${tenants} tenants`, value: allMs / 1000, unit: 's' },
    { metric: `RSS with ${tenants} tenants`, value: rss, unit: 'MiB' },
    { metric: `time to add a tenant, median`, value: alone, unit: 'ms' },
    { metric: `the same, while ${broken} others have no Secret`, value: beside, unit: 'ms', peer: alone },
    { metric: 'reads of the Kubernetes API, idle', value: pass.reads * passesPerHour.atRest, unit: hourly },
    { metric: 'writes, idle', value: pass.writes * passesPerHour.atRest, unit: hourly },
    {
      metric: 'reads of the Kubernetes API, no Secret',
      value: brokenPass.reads * passesPerHour.broken,
      unit: hourly,
    },
  ];
}

/** Runs a function for each name, with bounded concurrency. */
async function inTurn(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const waiting = [...names];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Returns the median time from the request for a tenant until it is provisioned, in milliseconds. */
async function oneMore(fleet: TenantFleet, kind: string, signal: AbortSignal): Promise<number> {
  const times: number[] = [];
  for (const name of namesOf(kind, runs)) {
    const startedAt = performance.now();
    await fleet.create(name, true, signal);
    await fleet.until([name], ...found, signal);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Returns the average number of calls of a reconcile without changes. All tenants are reconciled several times. */
async function costOfPass(
  fleet: TenantFleet,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ reads: number; writes: number }> {
  const before = await idleSamples(fleet, signal);
  for (let run = 0; run < runs; run++) {
    await inTurn(names, (name) => fleet.touch(name, run, signal));
    await idleSamples(fleet, signal);
  }
  const after = await idleSamples(fleet, signal);
  const since = (name: string, labels?: Record<string, string>) =>
    after.sum(name, labels) - before.sum(name, labels);
  const reconciles = since(reconcilesMetric);
  const reads = since(callsMetric, { method: 'GET' });
  return { reads: reads / reconciles, writes: (since(callsMetric) - reads) / reconciles };
}

/** Returns the metrics at a time when no tenant is being reconciled or queued. */
async function idleSamples(fleet: TenantFleet, signal: AbortSignal): Promise<Samples> {
  for (;;) {
    const samples = await fleet.samples(signal);
    if (samples.sum('workqueue_depth') + samples.sum('controller_runtime_active_workers') === 0)
      return samples;
  }
}

/** Waits until the gmc makes no call for three seconds, because its events are sent at a limited rate. */
async function settled(fleet: TenantFleet, signal: AbortSignal): Promise<void> {
  let calls = -1;
  for (let quiet = 0; quiet < 6;) {
    await sleep(systemClock, 500, signal);
    const total = (await fleet.samples(signal)).sum(callsMetric);
    quiet = total === calls ? quiet + 1 : 0;
    calls = total;
  }
}
