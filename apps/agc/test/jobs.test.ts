import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyOf, RunnerGroup, runnerAnnotations } from '@interlock/api';
import { Event, Pod, ResourceQuota, Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { rerunCauses } from '../src/rerun/record.js';
import { Gateway, namespace, type Replica } from './harness/gateway.js';

/** The polls of all groups share the pause after a 429, and empty polls in a row are followed by longer and longer pauses. */
const pauseTimeoutMs = 60_000;

let gateway: Gateway;
let replica: Replica;
beforeAll(async () => {
  gateway = await Gateway.start({ busyPolls: true });
  replica = gateway.startReplica('a');
});
afterAll(() => gateway.close());

/** Returns everything that a tenant's users can read and that must not contain secrets. */
async function visibleText(): Promise<string> {
  const { client } = gateway;
  const [pods, events, groups, secrets] = await Promise.all([
    client.list(Pod, { namespace }),
    client.list(Event, { namespace }),
    client.list(RunnerGroup, { namespace }),
    client.list(Secret, { namespace, metadataOnly: true }),
  ]);
  return JSON.stringify([pods, events, groups, secrets]);
}

describe('a RunnerGroup', () => {
  it('runs as many jobs at a time as it may have workers, while one session waits for the next job', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('parallel', { maxListeners: 1, maxWorkers: 20 });
    const jobs = Array.from({ length: 20 }, () => gateway.enqueue('parallel'));
    const pods = await Promise.all(jobs.map((job) => gateway.untilStarted(job)));
    expect(new Set(pods.map(({ metadata }) => metadata.name)).size).toBe(20);
    await eventually(async () => {
      const { status } = await gateway.group('parallel');
      expect(status).toMatchObject({ activeSessions: 1, activeJobs: 20, pendingJobs: 0 });
    });
    gateway.workers.hangsAll = false;
    await Promise.all(pods.map((pod) => gateway.workers.finish(pod)));
    await gateway.untilSucceeded(jobs);
  });

  it('leaves a job queued while no worker is free, and reports this', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('full', { maxWorkers: 1 });
    const first = gateway.enqueue('full');
    const pod = await gateway.untilStarted(first);
    const second = gateway.enqueue('full');
    await eventually(async () => {
      const { status } = await gateway.group('full');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.message).toContain(
        'jobs stay queued at GitHub: the RunnerGroup runs 1 of 1 allowed jobs',
      );
    });
    expect(gateway.job(second).runner).toBeUndefined();
    gateway.workers.hangsAll = false;
    await gateway.workers.finish(pod);
    await gateway.untilSucceeded([first, second]);
  });

  it('leaves a job queued while the ResourceQuota does not allow another worker', async () => {
    const quota = { metadata: { name: 'pods', namespace }, apiVersion: 'v1', kind: 'ResourceQuota' };
    await gateway.client.create(ResourceQuota, { ...quota, spec: { hard: { 'requests.cpu': '100m' } } });
    await gateway.createGroup('quota');
    const job = gateway.enqueue('quota');
    await eventually(async () => {
      const { status } = await gateway.group('quota');
      const exceeded = status?.conditions?.find(({ type }) => type === 'WorkerQuotaExceeded');
      expect(exceeded).toMatchObject({ status: 'True', message: expect.stringContaining('requests.cpu') });
    });
    expect(gateway.job(job).runner).toBeUndefined();
    await gateway.client.delete(ResourceQuota, { name: 'pods', namespace });
    await gateway.untilSucceeded([job]);
  });

  it('is Degraded while the API server refuses the worker pod of a job, until its template is corrected', async () => {
    const templateOf = (name: string) => ({
      spec: { containers: [{ name: 'runner' }, { name, image: 'sidecar' }] },
    });
    const group = await gateway.createGroup('refused', {
      ...{ quotaRetryDelay: '1s', maxQuotaRetries: 20, podTemplate: templateOf('Not_a_name') },
    });
    const job = gateway.enqueue('refused');
    const degraded = async () =>
      (await gateway.group('refused')).status?.conditions?.find(({ type }) => type === 'Degraded');
    await eventually(async () =>
      expect(await degraded()).toMatchObject({
        ...{ status: 'True', reason: 'WorkerPodRefused', message: expect.stringContaining('Not_a_name') },
      }),
    );
    const patch = { spec: { podTemplate: templateOf('sidecar') } };
    await gateway.client.patch(RunnerGroup, keyOf(group), { type: 'merge', patch });
    await eventually(async () => expect(await degraded()).toMatchObject({ status: 'False' }));
    await gateway.untilStarted(job);
  });

  it('reruns the run of an evicted job', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('evicted', { evictionRetryDelay: '1s' });
    const job = gateway.enqueue('evicted');
    const pod = await gateway.untilStarted(job);
    gateway.workers.hangsAll = false;
    await gateway.cluster.pods.simulate({ namespace, name: pod.metadata.name }, { type: 'evict' });
    await eventually(() => {
      const attempts = gateway.service.jobs().filter(({ runId }) => runId === job.runId);
      expect(attempts.map(({ attempt, conclusion }) => [attempt, conclusion])).toEqual([
        [1, 'failure'],
        [2, 'success'],
      ]);
    });
  });

  it('observes the eviction of a pod that is removed as soon as it has ended', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('drained', { evictionRetryDelay: '1s' });
    const jobs = Array.from({ length: 4 }, () => gateway.enqueue('drained'));
    const pods = await Promise.all(jobs.map((job) => gateway.untilStarted(job)));
    gateway.workers.hangsAll = false;
    await Promise.all(pods.map((pod) => gateway.evict(pod)));
    await gateway.untilSucceeded(jobs);
    const retries = await Promise.all(
      rerunCauses.map(async (cause): Promise<[string, number]> => {
        const labels = { runner_group: 'drained', cause };
        return [cause, await replica.metric('actions_gateway_eviction_retries_total', labels)];
      }),
    );
    const attempts = jobs.map((job) => gateway.latest(job).attempt);
    const made = retries.filter(([, count]) => count > 0);
    expect({ attempts, made }).toEqual({ attempts: [2, 2, 2, 2], made: [['eviction', 4]] });
  });

  it('stops the worker of a job that a user cancels', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('cancelled', { maxEvictionRetries: 0 });
    const job = gateway.enqueue('cancelled');
    await gateway.untilStarted(job);
    gateway.workers.hangsAll = false;
    gateway.service.cancelRun(job.runId);
    await eventually(async () => {
      expect(gateway.job(job).conclusion).toBe('cancelled');
      expect(await gateway.podOf(job)).toBeUndefined();
      expect(await gateway.recordsOf('cancelled')).toEqual([]);
    });
  });

  it('concludes a job that a user cancels before it has a pod, without starting a worker', async () => {
    await gateway.createGroup('unstarted');
    const admit = gateway.cluster.faults.inject({
      when: ({ info }) => info.verb === 'create' && info.resource?.plural === 'pods',
      status: 403,
    });
    const job = gateway.enqueue('unstarted');
    await eventually(async () => expect(await gateway.recordsOf('unstarted')).toHaveLength(1));
    gateway.service.cancelRun(job.runId);
    await eventually(async () => {
      expect(gateway.job(job)).toMatchObject({ conclusion: 'cancelled', cause: 'cancelled', workers: [] });
      expect(await gateway.recordsOf('unstarted')).toEqual([]);
    });
    admit();
    expect(await gateway.podOf(job)).toBeUndefined();
    expect(gateway.latest(job).attempt).toBe(1);
  });

  it('creates one worker for a job that is delivered to several sessions', async () => {
    await gateway.createGroup('fan-out', { maxListeners: 3 });
    const warm = Array.from({ length: 3 }, () => gateway.enqueue('fan-out'));
    await gateway.untilSucceeded(warm);
    const jobs = Array.from({ length: 5 }, () => gateway.enqueue('fan-out', { siblings: 2 }));
    await gateway.untilSucceeded(jobs);
    expect(gateway.service.verdict()).toMatchObject({ runTwice: 0 });
  });

  it('records each job in one trace, and writes the trace id to the worker pod', async () => {
    await gateway.createGroup('traced', { completedPodTTL: '1h' });
    const job = gateway.enqueue('traced');
    await gateway.untilSucceeded([job]);
    const pod = await gateway.podOf(job);
    const traceId = pod?.metadata.annotations?.[runnerAnnotations.traceId];
    const spans = await eventually(() => {
      const found = gateway.spans.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
      expect(new Set(found.map(({ name }) => name))).toEqual(
        new Set(['poll', 'acquire', 'stage', 'pod', 'conclude']),
      );
      return found;
    });
    expect(spans.find(({ name }) => name === 'poll')?.attributes).toMatchObject({
      'interlock.runner_group': 'traced',
      'interlock.plan_id': gateway.job(job).planId,
    });
  });

  it('logs each step of a job with the name of its record, the run and the runner', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('logged', { logLevel: 'info' });
    const job = gateway.enqueue('logged');
    const pod = await gateway.untilStarted(job);
    const lines = () => replica.log.lines.filter((line) => line['job'] === `job-${gateway.job(job).planId}`);
    const messages = () => lines().map(({ message }) => message);
    const start = [
      'recorded a claimed job',
      'created the worker pod of a job',
      'the runner of a job has started',
    ];
    await eventually(() => expect(messages()).toEqual(start));
    gateway.workers.hangsAll = false;
    await gateway.workers.finish(pod);
    await eventually(() => expect(messages()).toEqual([...start, 'a job has ended']));
    const always = { level: 'info', runnerGroup: 'logged', repository: 'acme/web', runId: job.runId };
    for (const line of lines()) expect(line).toMatchObject(always);
    expect(lines().at(-1)).toMatchObject({ ending: 'reported', result: 'succeeded' });
  });

  it('applies changes of its labels and of its number of sessions', async () => {
    const group = await gateway.createGroup('changing', { maxListeners: 1 });
    await eventually(async () => expect((await gateway.group('changing')).status?.activeSessions).toBe(1));
    const spec = { runnerLabels: ['self-hosted', 'changed'], maxListeners: 2 };
    await gateway.client.patch(RunnerGroup, keyOf(group), { type: 'merge', patch: { spec } });
    const job = gateway.enqueue('changed');
    await gateway.untilSucceeded([job]);
  });

  it('is RateLimited only while its polls are answered with 429, and counts these responses', async () => {
    await gateway.createGroup('limited', { maxListeners: 1 });
    const conditionOf = async (type: string): Promise<string | undefined> =>
      (await gateway.group('limited')).status?.conditions?.find((one) => one.type === type)?.status;
    await eventually(async () => expect(await conditionOf('Ready')).toBe('True'));
    const fault = gateway.service.faults.add({
      ...{ match: { route: '/broker/message' }, times: Infinity },
      effect: { kind: 'too-many-requests', retryAfter: 'seconds', seconds: 1 },
    });
    try {
      await eventually(async () => expect(await conditionOf('RateLimited')).toBe('True'), pauseTimeoutMs);
    } finally {
      fault.remove();
    }
    await eventually(async () => expect(await conditionOf('RateLimited')).toBe('False'), pauseTimeoutMs);
    const labels = { reason: 'rate_limited' };
    const counted = await replica.metric('actions_gateway_message_poll_errors_total', labels);
    expect(counted).toBe(fault.hits);
  }, 150_000);

  it('exposes no secret of a job', async () => {
    await gateway.createGroup('secret');
    const job = gateway.enqueue('secret', { secrets: { PASSWORD: 'canary-7f3a' } });
    await gateway.untilSucceeded([job]);
    expect(await visibleText()).not.toContain('canary-7f3a');
    expect(await visibleText()).toContain(gateway.job(job).planId);
  });

  it('removes its runners at GitHub before it is deleted', async () => {
    await gateway.createGroup('deleted');
    await gateway.untilSucceeded([gateway.enqueue('deleted')]);
    await eventually(() => expect(runnersOf('deleted')).not.toEqual([]));
    await gateway.client.delete(RunnerGroup, { name: 'deleted', namespace });
    await eventually(async () => {
      await expect(gateway.group('deleted')).rejects.toMatchObject({ type: 'NotFound' });
    });
    expect(runnersOf('deleted')).toEqual([]);
  });

  it('reports while it is being deleted why its runners are not removed at GitHub', async () => {
    await gateway.createGroup('kept');
    await eventually(async () => expect((await gateway.group('kept')).status?.activeSessions).toBe(1));
    const body = { message: 'Resource not accessible by integration' };
    const fault = gateway.service.faults.add({
      ...{ match: { base: 'rest', method: 'DELETE' }, times: Infinity },
      effect: { kind: 'status', status: 403, body },
    });
    await gateway.client.delete(RunnerGroup, { name: 'kept', namespace });
    await eventually(async () => {
      const { status } = await gateway.group('kept');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'Deleting' });
      expect(ready?.message).toMatch(/1 runners are not removed at GitHub yet: .*HTTP 403: Resource not/);
    });
    fault.remove();
    await eventually(async () => {
      await expect(gateway.group('kept')).rejects.toMatchObject({ type: 'NotFound' });
    });
  });
});

const runnersOf = (group: string): string[] =>
  gateway.service.runners().flatMap(({ name }) => (name.startsWith(`${group}-`) ? [name] : []));

describe('the service', () => {
  it('observes only requests that a correct client makes', () => {
    expect(gateway.service.violations).toEqual([]);
    expect(gateway.service.verdict()).toMatchObject({ lost: 0, runTwice: 0, lockExpired: 0, neverRun: 0 });
  });
});
