import { describe, expect, it } from '@jest/globals';
import {
  keyOf,
  runnerAnnotations,
  runnerLabels,
  workerExitCodes,
  type Kind,
  type ObjectKey,
} from '@interlock/api';
import { ApiError, Pod, Secret, type Client } from '@interlock/kube';
import { agcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import { Places } from '../group/places.js';
import { ScaleUp } from '../group/scale-up.js';
import { JobLocks } from '../lock/job-locks.js';
import { buildWorkerPod, workerPodName } from '../worker-pod/build.js';
import { admitWorkerPod, createWorkerPod } from './create-pod.js';
import { EndedPods } from './ended-pods.js';
import { hasReported } from './has-reported.js';
import { observeJob } from './observe.js';
import { viewPod } from './pod-view.js';
import { encodeRecord } from './record.js';
import { JobStore, recordOf } from './store.js';
import { group, now, observedJob, worker } from './testing/builders.js';
import { memoryCaches } from './testing/memory-caches.js';
import { MemoryClient } from './testing/memory-client.js';

const limited = { ...group, spec: { ...group.spec, scaleUp: { maxPerSecond: 1 } } };
const step = { signal: AbortSignal.timeout(60_000), now };
const observed = observedJob({ group: limited });
const key = { name: 'runner-linux-plan-1', namespace: 'team-a' };
const refusal = (type: 'NotFound' | 'Conflict' | 'Permanent', code: number) =>
  new ApiError(type, 'refused', { method: 'PATCH', path: '/', code, reason: type });

/** Returns a context whose API server refuses the first patch of an object of a kind. */
function contextOf(refused?: Kind, error?: ApiError) {
  const memory = new MemoryClient();
  observed.secret = memory.put(Secret, observed.secret) as Secret;
  const left = [refused];
  const patch = async (kind: Kind, name: ObjectKey, change: never): Promise<unknown> => {
    if (kind === left.pop()) throw error;
    return memory.client.patch(kind, name, change);
  };
  const client = { ...memory.client, patch } as unknown as Client;
  const [places, scaleUp] = [new Places(), new ScaleUp()];
  const context = {
    ...{ namespace: 'team-a', places, scaleUp, jobs: new JobStore(client) },
    manager: { client, clock: { now: () => now, monotonic: () => now } },
    worker,
  } as unknown as AgcContext;
  const create = (pod?: Pod) =>
    createWorkerPod(context, { ...observed, pod: pod && viewPod(pod, now) }, undefined, step);
  return { memory, places, scaleUp, context, create };
}

describe('createWorkerPod', () => {
  it('takes a place and a part of the scale-up for a new pod, but not for a pod that is only recorded', async () => {
    const { memory, places, scaleUp, create } = contextOf();
    await create();
    expect([places.active('linux', []), scaleUp.waitMs('linux', limited.spec.scaleUp, now)]).toEqual([
      1, 1000,
    ]);
    places.release('linux', key.name);
    observed.secret = memory.read(Secret, { name: 'job-plan-1', namespace: 'team-a' })!;
    await create(memory.read(Pod, key));
    expect([places.active('linux', []), scaleUp.waitMs('linux', limited.spec.scaleUp, now)]).toEqual([
      0, 1000,
    ]);
  });

  it('fails when the record is refused, and does not report that the pod is', async () => {
    const { create } = contextOf(Secret, refusal('Permanent', 403));
    await expect(create()).rejects.toThrow('refused');
  });
});

describe('two jobs whose pods have the same name, because it is cut', () => {
  const long = {
    ...limited,
    metadata: { ...limited.metadata, name: 'gateway-of-team-a-linux-runners-with-a-gpu-and-arm64' },
  };
  const [first, second] = [
    '811d079d-b70b-5a0f-85f8-b4c95ef47d10',
    '06353434-cca5-c193-40e6-a1c80b76225f',
  ].map((planId) => ({ ...observed.record, planId }));

  it('get a pod each', async () => {
    const { memory, context } = contextOf();
    const name = workerPodName(long.metadata.name, first!);
    expect(workerPodName(long.metadata.name, second!)).toBe(name);
    const pod = memory.put(Pod, buildWorkerPod(long, first!, worker, undefined)) as Pod;
    const job = { ...observed, group: long, record: second! };
    expect(await createWorkerPod(context, job, undefined, step)).toMatchObject({ type: 'relaunched' });
    expect(memory.read(Pod, keyOf(pod))).toEqual(pod);
    const record = recordOf(memory.read(Secret, keyOf(observed.secret))!);
    expect(record).toMatchObject({ phase: 'Staged', launches: 1 });
    expect(workerPodName(long.metadata.name, record!)).not.toBe(name);
  });

  it('do not count the pod of the other as their own', async () => {
    const { memory, context } = contextOf();
    const pod = memory.put(Pod, buildWorkerPod(long, first!, worker, undefined)) as Pod;
    const annotations = { [runnerAnnotations.jobRecord]: encodeRecord(second!) };
    const labels = { [runnerLabels.runnerGroup]: long.metadata.name };
    const secret = { ...observed.secret, metadata: { ...observed.secret.metadata, annotations, labels } };
    const job = await observeJob(
      {
        ...context,
        caches: { groups: { get: () => long }, pods: { get: () => pod, byIndex: () => [pod] } },
        groups: { get: () => ({ isRetiring: false }) },
        ...{ locks: new JobLocks(), endedPods: new EndedPods() },
      } as unknown as AgcContext,
      secret,
      { ...step, isFresh: false },
    );
    expect(job).toMatchObject({ pod: undefined });
  });

  it('do not count the result of the other as their own', () => {
    const terminated = { exitCode: workerExitCodes.succeeded };
    const runner = { name: 'runner', image: '', imageID: '', ready: false, restartCount: 0 };
    const containerStatuses = [{ ...runner, state: { terminated } }];
    const pod: Pod = {
      ...buildWorkerPod(long, first!, worker, undefined),
      status: { phase: 'Succeeded', containerStatuses },
    };
    const caches = agcCaches(memoryCaches(pod), 'team-a');
    const context = { ...contextOf().context, caches };
    const reported = [first, second].map((record) => hasReported(context, long.metadata.name, record!));
    expect(reported).toEqual([true, false]);
  });
});

describe('the creation of a worker pod', () => {
  /** Creates a worker pod at an API server whose admission refuses it. */
  const createRefused = async (type: 'Transient' | 'Unauthorized', cause: string) => {
    const { memory, create } = contextOf();
    const message = `pods "${key.name}" is forbidden: ${cause}`;
    const line = { method: 'POST', path: '/api/v1/namespaces/team-a/pods' };
    memory.before = () => {
      memory.before = () => undefined;
      throw new ApiError(type, message, { ...line, code: 403, reason: 'Forbidden' });
    };
    return create();
  };

  it.each([
    ['Transient', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1', true],
    ['Unauthorized', 'violates PodSecurity "restricted:latest"', false],
  ] as const)('counts a refusal of admission (%s: %s)', async (type, cause, isQuota) => {
    await expect(createRefused(type, cause)).resolves.toMatchObject({ type: 'refused', isQuota });
  });

  it.each([
    ['Transient', 'not yet ready to handle request'],
    ['Transient', 'status unknown for quota: q, resources: pods'],
    ['Unauthorized', 'User "agc" cannot create resource "pods" in API group "" in the namespace "team-a"'],
  ] as const)('is repeated without counting a refusal (%s: %s)', async (type, cause) => {
    await expect(createRefused(type, cause)).rejects.toThrow(cause);
  });
});

describe('admitWorkerPod', () => {
  it('fails after a conflict, so that it is repeated, but not when the pod is gone', async () => {
    const pod = { name: key.name, uid: 'uid-1' };
    const conflict = contextOf(Pod, refusal('Conflict', 409)).context;
    await expect(admitWorkerPod(conflict, pod, step.signal)).rejects.toThrow('refused');
    const gone = contextOf(Pod, refusal('NotFound', 404)).context;
    await expect(admitWorkerPod(gone, pod, step.signal)).resolves.toBeUndefined();
  });
});
