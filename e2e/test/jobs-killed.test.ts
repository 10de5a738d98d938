import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startActionsService, type ActionsService, type JobHandle } from '@interlock/actions-service';
import type { Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import type { FaultRequest } from '@interlock/devcluster';
import { installCustomResources, type Cluster } from '@interlock/stack';
import { isLongRun } from './support/crash-points.js';
import { JobsTenant } from './support/jobs-tenant.js';
import { openTestCluster, tenantName } from './support/test-cluster.js';

const groups = ['one', 'two', 'three'];
const setup = isLongRun
  ? { jobs: 500, kills: Infinity, periodMs: 5_000, timeoutMs: 1_800_000 }
  : { jobs: 60, kills: 3, periodMs: 3_000, timeoutMs: 240_000 };

let folder: string;
let cluster: Cluster;
let client: Client;
let service: ActionsService;
let tenant: JobsTenant;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-killed-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installCustomResources(client);
  service = await startActionsService({
    busyPolls: true,
    seed: 7,
    timings: { pollHold: 5_000 },
    rateLimit: 1_000_000,
  });
  tenant = await JobsTenant.create({
    ...{ cluster, client, folder, service, name: tenantName('killed') },
    args: ['--allow-http', '--hourly-budget=1000000'],
  });
}, 120_000);

afterAll(async () => {
  service.faults.clear();
  cluster.embedded?.faults.clear();
  await tenant.close();
  await service.close();
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Returns a reproducible sequence of numbers in [0, 1) (Lehmer, as in MINSTD). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Makes 5 % of the calls to the service and to an embedded API server fail. */
function failCalls(): void {
  for (const base of ['broker', 'run', 'rest', 'token'] as const) {
    const often = { match: { base }, times: Infinity } as const;
    service.faults.add({ ...often, effect: { kind: 'status', status: 503 }, probability: 0.02 });
    service.faults.add({ ...often, effect: { kind: 'reset' }, probability: 0.02 });
    service.faults.add({ ...often, effect: { kind: 'reset-after-commit' }, probability: 0.01 });
  }
  const random = seeded(7);
  const account = `system:serviceaccount:${tenant.name}:agc`;
  const sometimes = (share: number) => ({
    when: ({ user }: FaultRequest) => user?.username === account && random() < share,
  });
  cluster.embedded?.faults.inject({ ...sometimes(0.02), status: 503 });
  cluster.embedded?.faults.inject({ ...sometimes(0.02), cutAfterBytes: 0 });
  cluster.embedded?.faults.inject({ ...sometimes(0.01), cutAfterEffect: true });
}

/** Periodically kills a replica, most often the leader of a group, and restarts it as the kubelet does. */
async function killReplicas(signal: AbortSignal): Promise<number> {
  let kills = 0;
  while (kills < setup.kills) {
    await setTimeout(setup.periodMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const leader = kills % 4 === 3 ? undefined : await tenant.leaderOf(groups[kills % groups.length] ?? '');
    const victim = leader ?? tenant.replicas[kills % tenant.replicas.length];
    await victim?.kill();
    victim?.start();
    kills += 1;
  }
  return kills;
}

test(
  `${setup.jobs} jobs run once each while replicas are killed and calls fail`,
  async () => {
    for (const group of groups)
      await tenant.createGroup(group, { maxListeners: 5, maxWorkers: 20, evictionRetryDelay: '1s' });
    tenant.runners.behaviour = { conclusion: 'succeeded' };
    tenant.start();
    await eventually(() => expect(service.runners().length).toBeGreaterThanOrEqual(groups.length));
    failCalls();
    const jobs: JobHandle[] = Array.from({ length: setup.jobs }, (_, n) =>
      tenant.enqueue(groups[n % groups.length] ?? '', { durationHint: 200 + (n % 10) * 400 }),
    );
    const done = new AbortController();
    const killing = killReplicas(done.signal);
    try {
      await tenant.untilSucceeded(jobs, setup.timeoutMs);
    } finally {
      done.abort();
    }
    const kills = await killing;
    expect(kills).toBeGreaterThanOrEqual(Math.min(setup.kills, 10));
    expect(service.violations).toEqual([]);
    expect(service.verdict()).toMatchObject({ lost: 0, runTwice: 0, lockExpired: 0, neverRun: 0, open: 0 });
    expect(tenant.kubelet.problems).toEqual([]);
  },
  setup.timeoutMs + 60_000,
);
