import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { objectAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { useCluster } from '../../testing/harness.js';
import {
  conditionStatus,
  eventsOf,
  job,
  jobsPath,
  podsOf,
  podsPath,
  setPhase,
} from '../../testing/workloads.js';

const clock = new FakeClock(Date.now());
const harness = useCluster({ clock });
const podsOfJob = (name: string, count: number): Promise<KubeObject[]> =>
  podsOf(harness, `batch.kubernetes.io/job-name=${name}`, count);
const untilMet = async (name: string, type: string): Promise<object> =>
  (await harness.until(`${jobsPath}/${name}`, ({ body }) => conditionStatus(body, type) === 'True')).body;

describe('Jobs', () => {
  it('create pods with a unique selector, count a successful pod, and become complete', async () => {
    const { body } = await harness.create(jobsPath, job('sum'));
    const uid = (body as KubeObject).metadata.uid ?? '';
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'sum',
      'controller-uid': uid,
      'job-name': 'sum',
    };
    expect(body).toMatchObject({
      metadata: { labels },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { metadata: { labels } },
      },
    });
    const [pod] = await podsOfJob('sum', 1);
    expect(pod?.metadata).toMatchObject({
      generateName: 'sum-',
      labels,
      finalizers: ['batch.kubernetes.io/job-tracking'],
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid, controller: true }],
    });
    await setPhase(harness, pod!, 'Running');
    await harness.until(`${jobsPath}/sum`, (reply) => valueAt(reply.body, 'status', 'ready') === 1);
    await setPhase(harness, pod!, 'Succeeded');
    expect(await untilMet('sum', 'Complete')).toMatchObject({
      status: {
        succeeded: 1,
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        startTime: expect.any(String),
        completionTime: expect.any(String),
        conditions: [
          { type: 'SuccessCriteriaMet', reason: 'CompletionsReached' },
          { type: 'Complete', message: 'Reached expected number of succeeded pods' },
        ],
      },
    });
    const ended = await harness.get(`${podsPath}/${pod!.metadata.name}`);
    expect(objectAt(ended.body, 'metadata')).not.toHaveProperty('finalizers');
    await expectEvents('sum', [
      `Completed: Job completed`,
      `SuccessfulCreate: Created pod: ${pod!.metadata.name}`,
    ]);
  });

  async function expectEvents(name: string, events: string[]): Promise<void> {
    await harness.until(
      `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`,
      (reply) => Array.isArray(reply.body['items']) && reply.body['items'].length === events.length,
    );
    expect(await eventsOf(harness, name)).toEqual(events);
  }

  it('give the pods of an Indexed Job an index, a host name and a variable', async () => {
    await harness.create(
      jobsPath,
      job('shard', { completionMode: 'Indexed', completions: 3, parallelism: 2 }),
    );
    const pods = await podsOfJob('shard', 2);
    const key = 'batch.kubernetes.io/job-completion-index';
    const byIndex = new Map(pods.map((pod) => [pod.metadata.annotations?.[key], pod]));
    expect([...byIndex.keys()].sort()).toEqual(['0', '1']);
    expect(byIndex.get('1')).toMatchObject({
      metadata: { generateName: 'shard-1-', labels: { [key]: '1' } },
      spec: {
        hostname: 'shard-1',
        containers: [
          {
            env: [
              {
                name: 'JOB_COMPLETION_INDEX',
                valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } },
              },
            ],
          },
        ],
      },
    });
    await setPhase(harness, byIndex.get('1')!, 'Succeeded');
    await harness.until(
      `${jobsPath}/shard`,
      ({ body }) => valueAt(body, 'status', 'completedIndexes') === '1',
    );
    const next = await podsOf(harness, `${key}=2,job-name=shard`, 1);
    for (const pod of [byIndex.get('0')!, next[0]!]) await setPhase(harness, pod, 'Succeeded');
    expect(await untilMet('shard', 'Complete')).toMatchObject({
      status: { completedIndexes: '0-2', succeeded: 3 },
    });
  });

  it('fail with the reason when more pods fail than they allow, and delete the other pods', async () => {
    await harness.create(jobsPath, job('weak', { backoffLimit: 0, parallelism: 2, completions: 2 }));
    const [pod] = await podsOfJob('weak', 2);
    await setPhase(harness, pod!, 'Failed');
    expect(await untilMet('weak', 'Failed')).toMatchObject({
      status: {
        failed: 2,
        conditions: [
          { type: 'FailureTarget', reason: 'BackoffLimitExceeded' },
          { type: 'Failed', message: 'Job has reached the specified backoff limit' },
        ],
      },
    });
    await podsOfJob('weak', 1);
  });

  it('have no pods while they are suspended', async () => {
    await harness.create(jobsPath, job('rest', { suspend: true }));
    expect(await untilMet('rest', 'Suspended')).not.toMatchObject({
      status: { startTime: expect.any(String) },
    });
    await harness.patch(`${jobsPath}/rest`, { spec: { suspend: false } });
    await podsOfJob('rest', 1);
    await harness.patch(`${jobsPath}/rest`, { spec: { suspend: true } });
    await podsOfJob('rest', 0);
    const { body } = await harness.until(
      `${jobsPath}/rest`,
      (reply) => valueAt(reply.body, 'status', 'active') === undefined,
    );
    expect(valueAt(body, 'status', 'failed')).toBeUndefined();
  });

  it('are deleted with their pods after their TTL', async () => {
    await harness.create(jobsPath, job('short', { ttlSecondsAfterFinished: 0 }));
    const [pod] = await podsOfJob('short', 1);
    await setPhase(harness, pod!, 'Succeeded');
    await harness.until(`${jobsPath}/short`, ({ status }) => status === 404);
    await harness.until(`${podsPath}/${pod!.metadata.name}`, ({ status }) => status === 404);
  });

  it('fail at their deadline and are deleted after their TTL', async () => {
    /** Advances the clock until a response is as expected. */
    const passUntil = async (
      path: string,
      test: (body: JsonObject, status: number) => boolean,
    ): Promise<void> => {
      for (let minute = 0; minute < 1000; minute += 1) {
        const { body, status } = await harness.get(path);
        if (test(body, status)) return;
        await clock.advance(60_000);
      }
      throw new Error(`${path} stayed as it was`);
    };
    const path = `${jobsPath}/late`;
    await harness.create(
      jobsPath,
      job('late', { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 1_000_000 }),
    );
    await podsOfJob('late', 1);
    await passUntil(path, (body) => conditionStatus(body, 'Failed') === 'True');
    const { body } = await harness.get(path);
    expect(body).toMatchObject({
      status: { failed: 1, conditions: [{ reason: 'DeadlineExceeded' }, { type: 'Failed' }] },
    });
    await clock.advance(1_000_000_000);
    await passUntil(path, (_body, status) => status === 404);
  });

  it('orphan their pods with a warning when they are deleted without a propagation policy', async () => {
    await harness.create(jobsPath, job('left'));
    const [pod] = await podsOfJob('left', 1);
    const { headers } = await harness.remove(`${jobsPath}/left`);
    expect(headers['warning']).toContain('child pods are preserved by default when jobs are deleted');
    await harness.until(`${jobsPath}/left`, ({ status }) => status === 404);
    const path = `${podsPath}/${pod!.metadata.name}`;
    const isFree = (body: object): boolean =>
      !['finalizers', 'ownerReferences'].some((key) => key in (body as KubeObject).metadata);
    await harness.until(path, ({ body }) => isFree(body));
  });

  it('are refused with the causes of the API server when they are invalid', async () => {
    const answer = await harness.create(
      jobsPath,
      job('bad', {
        template: { spec: { containers: [] } },
        completionMode: 'Indexed',
        completions: null,
        parallelism: 1,
      }),
    );
    expect(answer.status).toBe(422);
    const causes = valueAt(answer.body, 'details', 'causes');
    expect(causes).toEqual([
      {
        reason: 'FieldValueRequired',
        message: 'Required value: when completion mode is Indexed',
        field: 'spec.completions',
      },
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers' },
      {
        reason: 'FieldValueRequired',
        message: 'Required value: valid values: "OnFailure", "Never"',
        field: 'spec.template.spec.restartPolicy',
      },
    ]);
    await harness.create(jobsPath, job('fixed', { suspend: true }));
    const change = await harness.patch(`${jobsPath}/fixed`, { spec: { completions: 2 } });
    expect(change.body['message']).toBe(
      'Job.batch "fixed" is invalid: spec.completions: Invalid value: 2: field is immutable',
    );
  });
});
