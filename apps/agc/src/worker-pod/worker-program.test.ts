import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Manager, Runnable } from '@interlock/kube';
import { addWorkerProgram } from './worker-program.js';

/** Runs the loop that stores a program in a namespace. `applied` fills with what it stores. */
function startStore(existing: object | undefined) {
  const applied: unknown[] = [];
  const added: Runnable[] = [];
  const clock = new FakeClock();
  const account = { current: existing };
  const failures: Error[] = [];
  const client = {
    get: () =>
      account.current === undefined
        ? Promise.reject(new TypedError('NotFound', 'no such account'))
        : Promise.resolve(account.current),
    apply(_kind: unknown, configuration: unknown) {
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      applied.push(configuration);
      return Promise.resolve();
    },
  };
  const manager = { client, clock, add: (runnable: Runnable) => added.push(runnable) } as unknown as Manager;
  const name = addWorkerProgram(manager, silentLog, 'team-a', 'the program');
  const stopping = new AbortController();
  const run = added[0]?.run(stopping.signal);
  const stop = (): Promise<void> | undefined => {
    stopping.abort();
    return run;
  };
  return { name, applied, clock, account, failures, stop };
}

/** Runs the loop until it has stored the program once. */
async function store(account: object | undefined) {
  const started = startStore(account);
  await started.clock.advance(0);
  await started.stop();
  return started;
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

  it('stores the program again, because a user may delete it or its owner', async () => {
    const { applied, clock, account, failures, stop } = startStore(undefined);
    await clock.advance(0);
    account.current = { metadata: { uid: 'another-uid' } };
    failures.push(new TypedError('Transient', 'not now'));
    await clock.advance(60_000);
    expect(applied).toHaveLength(1);
    await clock.advance(5_000);
    expect(applied).toMatchObject([
      { metadata: { ownerReferences: [] } },
      { metadata: { ownerReferences: [{ uid: 'another-uid' }] } },
    ]);
    await stop();
    await clock.advance(3_600_000);
    expect(applied).toHaveLength(2);
  });
});
