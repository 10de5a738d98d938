import { describe, expect, it } from '@jest/globals';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { backoffOf } from './backoff.js';
import { decide, type JobPlan } from './decide.js';
import { trackingFinalizer } from './job-pods.js';

const now = Date.parse('2030-01-01T00:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace('.000', '');

function job(spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sum', namespace: 'ns', uid: 'j' },
    spec: { completions: 1, parallelism: 1, backoffLimit: 6, ...spec },
    status: { startTime: ago(100), ...status },
  };
}

interface PodFields {
  phase?: string;
  tracked?: boolean;
  deleted?: boolean;
  index?: number;
  /** Seconds since its container ended. */
  ended?: number;
  exitCode?: number;
  restarts?: number;
}

function pod(name: string, fields: PodFields = {}): KubeObject {
  const { phase = 'Running', tracked = true, deleted, index, ended, exitCode = 1, restarts = 0 } = fields;
  const state = ended === undefined ? { running: {} } : { terminated: { exitCode, finishedAt: ago(ended) } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ns',
      uid: name,
      creationTimestamp: ago(90),
      ...(tracked && { finalizers: [trackingFinalizer] }),
      ...(deleted === true && { deletionTimestamp: ago(1) }),
      ...(index !== undefined && {
        annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
      }),
    },
    spec: { nodeName: 'n' },
    status: { phase, containerStatuses: [{ name: 'app', restartCount: restarts, state }] },
  };
}

const planOf = (owner: KubeObject, ...pods: KubeObject[]): JobPlan => {
  const plan = decide({ job: owner, pods, now });
  if (plan === undefined) throw new Error('the Job has ended');
  return plan;
};
const names = (pods: readonly KubeObject[]): string[] => pods.map(({ metadata }) => metadata.name);
const met = ({ status }: JobPlan): unknown[] =>
  objectsAt(status, 'conditions').map(({ type, reason }) => [type, reason]);

describe('the pods of a Job', () => {
  it.each<[string, JsonObject, JsonObject, KubeObject[], { create: number; remove: string[] }]>([
    [
      'are created up to the parallelism',
      { completions: 5, parallelism: 2 },
      {},
      [pod('a')],
      { create: 1, remove: [] },
    ],
    [
      'are created up to the number of missing completions',
      { completions: 3, parallelism: 5 },
      { succeeded: 1 },
      [pod('a')],
      { create: 1, remove: [] },
    ],
    [
      'are deleted beyond the parallelism',
      { completions: 3 },
      {},
      [pod('a'), pod('b')],
      { create: 0, remove: ['a'] },
    ],
    [
      'are neither created nor deleted after a success without completions',
      { completions: null, parallelism: 3 },
      { succeeded: 1 },
      [pod('a')],
      { create: 0, remove: [] },
    ],
    [
      'are deleted when the Job is suspended',
      { suspend: true },
      {},
      [pod('a')],
      { create: 0, remove: ['a'] },
    ],
    [
      'are replaced while they are being deleted',
      { podReplacementPolicy: 'TerminatingOrFailed', backoffLimit: 6 },
      {},
      [pod('a', { deleted: true, ended: 50 })],
      { create: 1, remove: [] },
    ],
    [
      'are replaced only when they have failed, if the Job requests this',
      { podReplacementPolicy: 'Failed' },
      {},
      [pod('a', { deleted: true })],
      { create: 0, remove: [] },
    ],
    [
      'are not created for a Job with enough successes',
      { completions: 2 },
      { succeeded: 2 },
      [],
      { create: 0, remove: [] },
    ],
  ])('%s', (_title, spec, status, pods, expected) => {
    const { create, remove } = planOf(job(spec, status), ...pods);
    expect({ create: create.length, remove: names(remove) }).toEqual(expected);
  });

  it('have each index once, starting with the lowest index', () => {
    const owner = job(
      { completionMode: 'Indexed', completions: 6, parallelism: 4 },
      { completedIndexes: '0,2-3' },
    );
    const twice = planOf(owner, pod('a', { index: 1 }), pod('b', { index: 1 }), pod('c', { index: 9 }));
    expect(names(twice.remove).sort()).toEqual(['a', 'c']);
    expect(planOf(owner, pod('a', { index: 4 })).create).toEqual([1, 5]);
  });
});

describe('the end of a pod', () => {
  it('is recorded before the finalizer is removed, and counted afterwards', () => {
    const ended = pod('a', { phase: 'Succeeded' });
    const owner = job({ completions: 2 });
    const noted = planOf(owner, ended);
    expect(noted.status).toMatchObject({ uncountedTerminatedPods: { succeeded: ['a'] } });
    expect(noted.status).not.toHaveProperty('succeeded');
    expect(names(noted.untrack)).toEqual(['a']);
    const stopped = planOf(job({ completions: 2 }, noted.status), ended);
    expect(stopped.status).toMatchObject({ uncountedTerminatedPods: { succeeded: ['a'] } });
    const counted = planOf(
      job({ completions: 2 }, noted.status),
      pod('a', { phase: 'Succeeded', tracked: false }),
    );
    expect(counted.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
    expect(planOf(job({ completions: 2 }, counted.status)).status).toMatchObject({ succeeded: 1 });
  });

  it('is counted by its index in an Indexed Job', () => {
    const owner = job(
      { completionMode: 'Indexed', completions: 3, parallelism: 1 },
      { completedIndexes: '0' },
    );
    const plan = planOf(
      owner,
      pod('a', { phase: 'Succeeded', index: 1 }),
      pod('b', { phase: 'Succeeded', index: 1 }),
    );
    expect(plan.status).toMatchObject({ completedIndexes: '0,1', succeeded: 2, uncountedTerminatedPods: {} });
    expect(plan.create).toEqual([2]);
  });

  it('is not counted for an index that the Job no longer has', () => {
    const owner = job(
      { completionMode: 'Indexed', completions: 3, parallelism: 3 },
      { completedIndexes: '0,3-4', succeeded: 3 },
    );
    const plan = planOf(owner);
    expect(plan.status).toMatchObject({ completedIndexes: '0', succeeded: 1 });
    expect([met(plan), plan.create]).toEqual([[], [1, 2]]);
  });
});

describe('the end of a Job', () => {
  const failing = job({ backoffLimit: 0, completions: 2, parallelism: 2 });

  it('is announced first, and becomes final when all pods are counted and deleted', () => {
    const ended = pod('a', { phase: 'Succeeded' });
    const announced = planOf(job(), ended);
    expect(met(announced)).toEqual([['SuccessCriteriaMet', 'CompletionsReached']]);
    const final = planOf(job({}, announced.status), pod('a', { phase: 'Succeeded', tracked: false }));
    expect(met(final)).toEqual([
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ]);
    expect(final.status['completionTime']).toBe('2030-01-01T00:00:00Z');
    expect(final.notes).toEqual([{ type: 'Normal', reason: 'Completed', note: 'Job completed' }]);
    expect(decide({ job: job({}, final.status), pods: [], now })).toBeUndefined();
  });

  it('waits for pods that are being deleted', () => {
    const announced = planOf(failing, pod('a', { phase: 'Failed' }), pod('b'));
    expect([names(announced.remove), names(announced.untrack)]).toEqual([['b'], ['a', 'b']]);
    expect(announced.countsRemoved).toBe(true);
    const owner = job({ backoffLimit: 0 }, announced.status);
    const waiting = planOf(owner, pod('b', { deleted: true, tracked: false }));
    expect(met(waiting)).toEqual([['FailureTarget', 'BackoffLimitExceeded']]);
    const final = planOf(job({ backoffLimit: 0 }, waiting.status));
    expect(met(final).at(-1)).toEqual(['Failed', 'BackoffLimitExceeded']);
    expect(final.status).toMatchObject({ failed: 2 });
    expect(final.notes[0]).toMatchObject({ type: 'Warning', reason: 'BackoffLimitExceeded' });
  });

  it.each<[string, JsonObject, KubeObject[], string | undefined]>([
    [
      'more failures than allowed',
      { backoffLimit: 1 },
      [pod('a', { phase: 'Failed' }), pod('b', { phase: 'Failed' })],
      'BackoffLimitExceeded',
    ],
    ['as many failures as allowed', { backoffLimit: 1 }, [pod('a', { phase: 'Failed' })], undefined],
    [
      'restarts of containers in the pods',
      { backoffLimit: 3, template: { spec: { restartPolicy: 'OnFailure' } } },
      [pod('a', { restarts: 3 })],
      'BackoffLimitExceeded',
    ],
    ['the deadline of the Job', { activeDeadlineSeconds: 100 }, [pod('a')], 'DeadlineExceeded'],
    ['a deadline that has not passed', { activeDeadlineSeconds: 101 }, [pod('a')], undefined],
    [
      'an exit code in the failure policy',
      policy('FailJob', 'In', [3]),
      [pod('a', { phase: 'Failed', ended: 1, exitCode: 3 })],
      'PodFailurePolicy',
    ],
    [
      'an exit code that the failure policy excludes',
      policy('FailJob', 'NotIn', [3]),
      [pod('a', { phase: 'Failed', ended: 1, exitCode: 3 })],
      undefined,
    ],
  ])('depends on %s', (_title, spec, pods, reason) => {
    const [first] = met(planOf(job(spec), ...pods));
    expect(first).toEqual(reason === undefined ? undefined : ['FailureTarget', reason]);
  });

  it('is not caused by failures that its policy ignores', () => {
    const owner = job({ ...policy('Ignore', 'In', [3]), backoffLimit: 0 });
    const plan = planOf(owner, pod('a', { phase: 'Failed', ended: 60, exitCode: 3 }));
    expect([met(plan), names(plan.untrack), plan.create.length]).toEqual([[], ['a'], 1]);
    expect(plan.status['uncountedTerminatedPods']).toEqual({});
  });

  it('is checked again at the deadline', () => {
    expect(planOf(job({ activeDeadlineSeconds: 130 }), pod('a')).waitMs).toBe(30_000);
  });
});

function policy(action: string, operator: string, values: number[]): JsonObject {
  return { podFailurePolicy: { rules: [{ action, onExitCodes: { operator, values } }] } };
}

describe('a suspended Job', () => {
  it('is started when it is resumed', () => {
    const suspended = planOf(job({ suspend: true }, { startTime: '' }), pod('a'));
    expect(met(suspended)).toEqual([['Suspended', 'JobSuspended']]);
    expect([suspended.countsRemoved, suspended.notes]).toEqual([
      false,
      [{ type: 'Normal', reason: 'Suspended', note: 'Job suspended' }],
    ]);
    const resumed = planOf(job({}, { ...suspended.status, startTime: ago(50) }));
    expect(resumed.status).toMatchObject({
      startTime: '2030-01-01T00:00:00Z',
      conditions: [{ type: 'Suspended', status: 'False', reason: 'JobResumed' }],
    });
  });
});

describe('backoffOf', () => {
  it.each<[string, KubeObject[], number]>([
    ['zero seconds without a failure', [pod('a', { phase: 'Succeeded', ended: 1 })], 0],
    ['ten seconds after the first failure', [pod('a', { phase: 'Failed', ended: 4 })], 6000],
    [
      'twice as long after the second failure',
      [pod('a', { phase: 'Failed', ended: 30 }), pod('b', { phase: 'Failed', ended: 4 })],
      16_000,
    ],
    ['zero seconds when the backoff has ended', [pod('a', { phase: 'Failed', ended: 10 })], 0],
    [
      'only for failures after the last success',
      [
        pod('a', { phase: 'Failed', ended: 30 }),
        pod('b', { phase: 'Succeeded', ended: 20 }),
        pod('c', { phase: 'Failed', ended: 4 }),
      ],
      6000,
    ],
    [
      'at most ten minutes',
      Array.from({ length: 9 }, (_, i) => pod(`p${String(i)}`, { phase: 'Failed', ended: 0 })),
      600_000,
    ],
  ])('waits %s', (_title, pods, expected) => {
    expect(backoffOf(job(), pods, now)).toBe(expected);
  });
});
