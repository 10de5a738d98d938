import { expect, it } from '@jest/globals';
import { ApiError } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { actOnGroup } from './act.js';
import type { GroupDecision } from './decide.js';
import type { GroupPod } from './group-pod.js';
import type { ObservedGroup } from './observed.js';

it.each<[drain: GroupDecision['drain'], pinned: number, outcome: object | string]>([
  ['retiring', 0, { isRetired: true }],
  ['givenUp', 1, { isRetired: true }],
  ['retiring', 1, 'refused'],
])('is %s with %i runners left although a pod cannot be changed', async (drain, pinned, outcome) => {
  const refuse = () => {
    throw new ApiError('Permanent', 'refused', {
      method: 'PATCH',
      path: '/',
      code: 403,
      reason: 'Forbidden',
    });
  };
  const work = { followSpec: () => 0, setCapacity: () => 0, retire: () => Promise.resolve({ pinned }) };
  const context = {
    ...{ namespace: 'team-a', groups: { get: () => work } },
    manager: { client: { patch: refuse } },
  } as unknown as AgcContext;
  const pod = { name: 'runner-1', uid: 'uid-1' } as GroupPod;
  const decision = { drain, reaping: { completed: [pod], reaped: [] } } as unknown as GroupDecision;
  const observed = { group: { metadata: { name: 'linux' }, spec: {} } } as ObservedGroup;
  const act = actOnGroup(context, decision, observed, { signal: AbortSignal.timeout(60_000), now: 0 });
  if (typeof outcome === 'string') await expect(act).rejects.toThrow(outcome);
  else await expect(act).resolves.toMatchObject(outcome);
});

it.each([
  ['Permanent', 0],
  ['Invalid', 1],
  ['Unauthorized', 1],
  ['Transient', 0],
] as const)(
  'whose record of the end of its job fails as %s, a pod is deleted %i times',
  async (type, count) => {
    const line = { method: 'PATCH', path: '/', code: 422, reason: type };
    const deleted: unknown[] = [];
    const client = {
      patch: () => Promise.reject(new ApiError(type, 'refused', line)),
      delete: (...call: unknown[]) => Promise.resolve(deleted.push(call)),
    };
    const work = { followSpec: () => 0, setCapacity: () => 0 };
    const context = {
      ...{ namespace: 'team-a', groups: { get: () => work } },
      manager: { client },
    } as unknown as AgcContext;
    const pod = { name: 'runner-1', uid: 'uid-1' } as GroupPod;
    const decision = { drain: 'none', reaping: { completed: [pod], reaped: [] } } as unknown as GroupDecision;
    const observed = { group: { metadata: { name: 'linux' }, spec: {} } } as ObservedGroup;
    const step = { signal: AbortSignal.timeout(60_000), now: 0 };
    await actOnGroup(context, decision, observed, step).catch(() => undefined);
    expect(deleted).toHaveLength(count);
  },
);

it('deletes a limited number of pods in one reconcile, not counting those that are refused', async () => {
  const line = { method: 'DELETE', path: '/', code: 403, reason: 'Forbidden' };
  const podsOf = (state: string) =>
    Array.from({ length: 150 }, (_, index) => ({ name: `${state}-${index}`, uid: 'uid' }) as GroupPod);
  const reaped = [...podsOf('refused'), ...podsOf('ended')].map((pod) => ({ pod, reason: 'completed_ttl' }));
  const remove = (_kind: unknown, { name }: { name: string }) =>
    name.startsWith('refused')
      ? Promise.reject(new ApiError('Permanent', 'refused', line))
      : Promise.resolve();
  const act = async (pods: typeof reaped) => {
    const work = { followSpec: () => 0, setCapacity: () => 0, retire: async () => ({ pinned: 0 }) };
    const context = {
      ...{ namespace: 'team-a', groups: { get: () => work } },
      manager: { client: { patch: async () => undefined, delete: remove } },
    } as unknown as AgcContext;
    const decision = { drain: 'retiring', reaping: { completed: [], reaped: pods } };
    const observed = { group: { metadata: { name: 'linux' }, spec: {} } } as ObservedGroup;
    const step = { signal: AbortSignal.timeout(60_000), now: 0 };
    const outcome = await actOnGroup(context, decision as unknown as GroupDecision, observed, step);
    return { reaped: outcome.reaped.length, arePodsLeft: outcome.arePodsLeft };
  };
  expect(await act(reaped)).toEqual({ reaped: 100, arePodsLeft: true });
  expect(await act(reaped.slice(150, 250))).toEqual({ reaped: 100, arePodsLeft: false });
});

it.each([
  ['continues at once while others are left to be changed', 101, { arePodsLeft: true }],
  ['fails when no other is left', 100, 'refused'],
] as const)('a reconcile in which a pod cannot be deleted %s', async (_title, others, outcome) => {
  const line = { method: 'DELETE', path: '/', code: 403, reason: 'Forbidden' };
  const names = ['refused', ...Array.from({ length: others }, (_, index) => `ended-${index}`)];
  const reaped = names.map((name) => ({ pod: { name, uid: 'uid' } as GroupPod, reason: 'completed_ttl' }));
  const remove = (_kind: unknown, { name }: { name: string }) =>
    name === 'refused' ? Promise.reject(new ApiError('Unauthorized', 'refused', line)) : Promise.resolve();
  const context = {
    ...{ namespace: 'team-a', groups: { get: () => ({ followSpec: () => 0, setCapacity: () => 0 }) } },
    manager: { client: { patch: async () => undefined, delete: remove } },
  } as unknown as AgcContext;
  const decision = { drain: 'none', reaping: { completed: [], reaped } } as unknown as GroupDecision;
  const observed = { group: { metadata: { name: 'linux' }, spec: {} } } as ObservedGroup;
  const step = { signal: AbortSignal.timeout(60_000), now: 0 };
  const act = actOnGroup(context, decision, observed, step);
  if (typeof outcome === 'string') await expect(act).rejects.toThrow(outcome);
  else await expect(act).resolves.toMatchObject(outcome);
});
