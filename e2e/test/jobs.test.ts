import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startActionsService, type ActionsService } from '@interlock/actions-service';
import { RunnerGroup, runnerLabels, type Kind } from '@interlock/api';
import { ConfigMap, createClient, Event, Lease, Pod, Secret, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { installCustomResources, type Cluster } from '@interlock/stack';
import { chartRules, JobsTenant, withoutVerb, type JobsTenantOptions } from './support/jobs-tenant.js';
import { openTestCluster, tenantName } from './support/test-cluster.js';

const timeoutMs = 120_000;
let folder: string;
let cluster: Cluster;
let client: Client;
const services: ActionsService[] = [];
const tenants: JobsTenant[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-jobs-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installCustomResources(client);
}, timeoutMs);

afterAll(async () => {
  try {
    await Promise.all(tenants.map((tenant) => tenant.close()));
  } finally {
    await Promise.all(services.map((service) => service.close()));
    await client.close();
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  }
}, timeoutMs);

/** Starts a service with its own App. */
async function startService(id: number): Promise<ActionsService> {
  const service = await startActionsService({
    ...{ busyPolls: true, seed: id, app: { id, clientId: `client-${id}` } },
    timings: { pollHold: 5_000 },
  });
  services.push(service);
  return service;
}

/** Creates a tenant and starts its AGC. */
async function startTenant(
  name: string,
  service: ActionsService,
  options: Partial<JobsTenantOptions> = {},
): Promise<JobsTenant> {
  const tenant = await JobsTenant.create({
    cluster,
    client,
    folder,
    service,
    name: tenantName(name),
    ...options,
  });
  tenants.push(tenant);
  tenant.start();
  return tenant;
}

function expectNothingLost(service: ActionsService, jobs: number): void {
  expect(service.violations).toEqual([]);
  expect(service.verdict()).toMatchObject({
    ...{ jobs, completed: jobs, lost: 0, runTwice: 0, lockExpired: 0, open: 0 },
  });
}

test(
  'three replicas of the AGC run the jobs of two groups at a service below /api/v3, without TLS',
  async () => {
    const service = await startService(1);
    const tenant = await startTenant('many', service);
    await tenant.createGroup('one', { maxListeners: 2 });
    await tenant.createGroup('two', { maxListeners: 2 });
    const jobs = Array.from({ length: 10 }, (_, n) => tenant.enqueue(n % 2 === 0 ? 'one' : 'two'));
    await tenant.untilSucceeded(jobs);
    const paths = service.journal.entries({ base: 'rest' }).map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('/api/v3/'))).toEqual([]);
    expect(paths).not.toEqual([]);
    expect(await tenant.leaderOf('one')).toBeDefined();
    expect(tenant.kubelet.problems).toEqual([]);
    expectNothingLost(service, jobs.length);
  },
  timeoutMs,
);

test(
  'the AGC does not send a credential without TLS unless --allow-http is set',
  async () => {
    const service = await startService(2);
    const tenant = await startTenant('strict', service, { args: [], replicas: 1, reachesService: false });
    await tenant.createGroup('linux');
    await eventually(async () => expect(await tenant.reports()).toContain('allowHttp is not set'), timeoutMs);
    expect(service.journal.entries()).toEqual([]);
  },
  timeoutMs,
);

describe('an AGC with a missing verb in its Role', () => {
  const rights = [
    { verb: 'create', resource: 'secrets', apiGroup: '' },
    { verb: 'create', resource: 'pods', apiGroup: '' },
    { verb: 'update', resource: 'leases', apiGroup: 'coordination.k8s.io' },
  ];
  const courses = new Map<string, PromiseSettledResult<void>>();

  async function lackAndGet({ verb, resource, apiGroup }: (typeof rights)[number]): Promise<void> {
    const service = await startService(10 + resource.length);
    const rules = await chartRules();
    const lacking = withoutVerb(rules, resource, verb);
    const tenant = await startTenant(`no-${resource}`, service, { rules: lacking, replicas: 1 });
    await tenant.createGroup('linux');
    const before = tenant.enqueue('linux');
    const refusal = `cannot ${verb} resource \\"${resource}\\" in API group \\"${apiGroup}\\" in the namespace \\"${tenant.name}\\"`;
    await eventually(async () => expect(await tenant.reports()).toContain(refusal), timeoutMs);
    await tenant.grant(rules);
    await tenant.untilSucceeded([before, tenant.enqueue('linux')]);
    expectNothingLost(service, 2);
  }

  /* The tenants run concurrently, because most of the time is spent waiting for back-offs. */
  beforeAll(async () => {
    const settled = await Promise.allSettled(rights.map(lackAndGet));
    rights.forEach(({ resource }, index) =>
      courses.set(resource, settled[index] as PromiseSettledResult<void>),
    );
  }, timeoutMs);

  test.each(rights)(
    'reports that it may not $verb $resource, and runs its jobs when it may',
    ({ resource }) => {
      expect(courses.get(resource)).toEqual({ status: 'fulfilled', value: undefined });
    },
  );
});

describe('two tenants whose runners have the same labels', () => {
  let first: JobsTenant;
  let second: JobsTenant;

  beforeAll(async () => {
    [first, second] = (await Promise.all(
      [3, 4].map(async (id) => startTenant(`tenant-${id}`, await startService(id), { replicas: 1 })),
    )) as [JobsTenant, JobsTenant];
    await first.createGroup('linux');
    await second.createGroup('linux');
  }, timeoutMs);

  test(
    'each receive the jobs of their own service',
    async () => {
      const [ours, theirs] = [first, second].map((tenant) => [1, 2, 3].map(() => tenant.enqueue('linux')));
      await first.untilSucceeded(ours ?? []);
      await second.untilSucceeded(theirs ?? []);
      for (const [tenant, jobs] of [
        [first, ours],
        [second, theirs],
      ] as const) {
        const { items } = await client.list(Pod, { namespace: tenant.name });
        const plans = items.map(({ metadata }) => metadata.labels?.[runnerLabels.planId]);
        expect(plans.sort()).toEqual(jobs?.map(({ planId }) => planId).sort());
      }
    },
    timeoutMs,
  );

  test.each<[string, Kind]>([
    ['Secrets', Secret],
    ['pods', Pod],
    ['ConfigMaps', ConfigMap],
    ['Leases', Lease],
    ['RunnerGroups', RunnerGroup],
  ])('may neither read nor change the %s of the other', async (_name, kind) => {
    const agc = createClient({ kubeConfig: first.kubeconfig, userAgent: 'e2e', defaultFieldManager: 'e2e' });
    const forbidden = { type: 'Unauthorized', code: 403 };
    try {
      await expect(agc.list(kind, { namespace: first.name })).resolves.toBeDefined();
      const { items } = await client.list(kind, { namespace: second.name });
      const [theirs] = items;
      if (theirs === undefined) throw new Error(`${second.name} has no ${kind.kind}`);
      const key = { name: theirs.metadata.name, namespace: second.name };
      const patch = { type: 'merge', patch: { metadata: { labels: { taken: 'yes' } } } } as const;
      await expect(agc.list(kind, { namespace: second.name })).rejects.toMatchObject(forbidden);
      await expect(agc.list(kind)).rejects.toMatchObject(forbidden);
      await expect(agc.get(kind, key)).rejects.toMatchObject(forbidden);
      await expect(agc.patch(kind, key, patch)).rejects.toMatchObject(forbidden);
      await expect(agc.delete(kind, key)).rejects.toMatchObject(forbidden);
    } finally {
      await agc.close();
    }
  });
});

test(
  'no secret of a job, runner or App is in a log, an event, a status, a pod or the metadata of a Secret',
  async () => {
    const service = await startService(5);
    const tenant = await startTenant('canary', service, { replicas: 1 });
    tenant.runners.hangsAll = true;
    await tenant.createGroup('linux', { completedPodTTL: '1h' });
    /* Errors are a frequent source of leaked secrets. */
    for (const route of ['*/renewjob', '*/acquirejob', '*/generate-jitconfig'])
      service.faults.add({ match: { route }, effect: { kind: 'status', status: 502 } });
    const job = tenant.enqueue('linux', { secrets: { PASSWORD: 'canary-7f3a' } });
    await eventually(() => expect(tenant.latest(job)?.workers).toHaveLength(1), timeoutMs);
    const canaries = [...(await secretsOf(tenant.name)), ...privateKeyLines(service)];
    expect(canaries).toContain('canary-7f3a');
    expect(canaries.length).toBeGreaterThan(20);
    const { items: pods } = await client.list(Pod, { namespace: tenant.name });
    await Promise.all(pods.map((pod) => tenant.runners.finish(pod)));
    await tenant.untilSucceeded([job]);
    const visible = await Promise.all(
      [Pod, Event, RunnerGroup, ConfigMap, Lease].map((kind: Kind) =>
        client.list(kind, { namespace: tenant.name }),
      ),
    );
    const secrets = await client.list(Secret, { namespace: tenant.name, metadataOnly: true });
    const log = await tenant.logs();
    const text = `${log}${JSON.stringify([visible, secrets])}`;
    expect(log).toContain('HTTP 502');
    expect(text).toContain(tenant.latest(job)?.planId);
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  },
  timeoutMs,
);

/** Returns the secrets of a tenant's jobs and runners: values of jobs, their tokens, and the parts of the keys of runners. */
async function secretsOf(namespace: string): Promise<string[]> {
  const { items } = await client.list(Secret, { namespace });
  const texts = items.flatMap(({ data = {} }) =>
    Object.values(data).map((value) => Buffer.from(value, 'base64').toString()),
  );
  const configs = texts.flatMap((text) =>
    [.../"jitConfig":"([^"]+)"/g[Symbol.matchAll](text)].map(([, config = '']) => config),
  );
  const files = configs.flatMap((config) =>
    Object.values(JSON.parse(Buffer.from(config, 'base64').toString()) as Record<string, string>),
  );
  const keys = files.flatMap((file) =>
    [
      ...Buffer.from(file, 'base64')
        .toString()
        .matchAll(/"(?:d|p|q|dp|dq|inverseQ)":"([^"]+)"/g),
    ].map(([, part = '']) => part),
  );
  const ofJobs = texts.flatMap((text) =>
    [...text.matchAll(/"(?:AccessToken|token)":"([^"]+)"/g)].map(([, token = '']) => token),
  );
  const values = texts.some((text) => text.includes('canary-7f3a')) ? ['canary-7f3a'] : [];
  return [...configs, ...keys, ...ofJobs, ...values];
}

function privateKeyLines({ app }: ActionsService): string[] {
  return app.privateKey.split('\n').filter((line) => line.length > 32 && !line.startsWith('--'));
}
