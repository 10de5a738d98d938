import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import type { Manager, Runnable } from '@interlock/kube';
import { addWorkerProgram } from './worker-program.js';

/**
 * Stores a program in a namespace with the service account of the workers, or without one. Returns its name and what was applied.
 */
async function store(account: object | undefined) {
  const applied: unknown[] = [];
  const added: Runnable[] = [];
  const client = {
    get: () =>
      account === undefined
        ? Promise.reject(new TypedError('NotFound', 'no such account'))
        : Promise.resolve(account),
    apply: (_kind: unknown, configuration: unknown) => {
      applied.push(configuration);
      return Promise.resolve();
    },
  };
  const manager = { client, add: (runnable: Runnable) => added.push(runnable) } as unknown as Manager;
  const name = addWorkerProgram(manager, silentLog, 'team-a', 'the program');
  await added[0]?.run(new AbortController().signal);
  return { name, applied };
}

describe('addWorkerProgram', () => {
  it('stores the program in an object that the service account of the workers owns', async () => {
    const { name, applied } = await store({ metadata: { uid: 'account-uid' } });
    expect(name).toMatch(/^interlock-worker-[0-9a-f]{10}$/);
    expect(applied).toEqual([
      {
        metadata: {
          ...{ name, namespace: 'team-a', labels: { 'app.kubernetes.io/part-of': 'interlock' } },
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ServiceAccount', name: 'actions-gateway-worker', uid: 'account-uid' },
          ],
        },
        immutable: true,
        data: { 'worker.mjs': 'the program' },
      },
    ]);
  });

  it('stores the program even if the workers have no service account yet', async () => {
    expect((await store(undefined)).applied).toMatchObject([{ metadata: { ownerReferences: [] } }]);
  });
});
