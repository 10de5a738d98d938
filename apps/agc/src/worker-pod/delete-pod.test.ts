import { expect, it } from '@jest/globals';
import { ApiError } from '@interlock/kube';
import { deleteWorkerPod } from './delete-pod.js';

const key = { name: 'runner-1', namespace: 'team-a' };

const deletion = { uid: 'uid-1', reason: 'cancelled' };

it.each([
  ['deleted although a policy refuses to change it', 'Invalid', 422, true],
  ['deleted although a permission to change it is missing', 'Unauthorized', 403, true],
  ['deleted although an admission webhook for changes fails', 'Transient', 500, true],
  ['not deleted if another pod has its name', 'Conflict', 409, false],
  ['not deleted if it is gone', 'NotFound', 404, false],
] as const)('a worker pod is %s', async (_title, type, code, expected) => {
  const line = { method: 'PATCH', path: '/', code, reason: type };
  let isDeleted = false;
  const client = {
    patch: () => Promise.reject(new ApiError(type, 'refused', line)),
    delete: () => {
      isDeleted = true;
      return Promise.resolve();
    },
  };
  const deleted = deleteWorkerPod(client as never, key, deletion, AbortSignal.timeout(60_000));
  if (expected) await deleted;
  else await expect(deleted).rejects.toThrow('refused');
  expect(isDeleted).toBe(expected);
});

it.each([285, undefined])(
  'a worker pod has the grace period of %s seconds of its deletion',
  async (graceSeconds) => {
    const deletions: unknown[] = [];
    const client = {
      patch: () => Promise.resolve(),
      delete: (_kind: unknown, _key: unknown, { uid, gracePeriodSeconds }: Record<string, unknown>) => {
        deletions.push({ uid, gracePeriodSeconds });
        return Promise.resolve();
      },
    };
    await deleteWorkerPod(client as never, key, { ...deletion, graceSeconds }, AbortSignal.timeout(60_000));
    expect(deletions).toEqual([{ uid: 'uid-1', gracePeriodSeconds: graceSeconds }]);
  },
);
