import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../client/kinds.js';
import { MemoryCache } from '../testing/memory-cache.js';
import { Controller } from './controller.js';
import { controllerDeps } from '../testing/controller-deps.js';

const minute = 60_000;

/** Returns a controller whose reconcile of `stuck` ignores its signal, and ends only when the test ends it. */
function fixture(timeoutMs?: number) {
  const clock = new FakeClock();
  const maps = new MemoryCache(ConfigMap);
  let release: () => void = () => undefined;
  const controller = new Controller<ConfigMap>(
    {
      name: 'web',
      for: { kind: ConfigMap },
      timeoutMs,
      reconcile: async ({ name }) => {
        if (name === 'stuck') await new Promise<void>((resolve) => (release = resolve));
        return { requeueAfterMs: minute };
      },
    },
    controllerDeps(maps, clock),
  );
  const stop = new AbortController();
  const ended = controller.run(stop.signal, new AbortController().signal);
  const add = (name: string) => {
    maps.set({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team', uid: name } });
  };
  return {
    clock,
    controller,
    add,
    release: () => release(),
    end: () => {
      stop.abort();
      release();
      return ended;
    },
  };
}

describe('a worker that hangs', () => {
  it('is reported with its object after 15 minutes, until its reconcile ends', async () => {
    const { clock, controller, add, release, end } = fixture();
    add('stuck');
    add('fine');
    await clock.advance(15 * minute);
    expect(controller.hungWorker()).toBeUndefined();
    await clock.advance(1);
    expect(controller.hungWorker()).toEqual({
      controller: 'web',
      key: 'team/stuck',
      runningMs: 15 * minute + 1,
    });
    release();
    await clock.advance(0);
    expect(controller.hungWorker()).toBeUndefined();
    await end();
  });

  it('is reported after three times its timeout, if that is longer', async () => {
    const { clock, controller, add, end } = fixture(10 * minute);
    add('stuck');
    await clock.advance(30 * minute);
    expect(controller.hungWorker()).toBeUndefined();
    await clock.advance(1);
    expect(controller.hungWorker()).toMatchObject({ key: 'team/stuck' });
    await end();
  });

  it('does not depend on the wall clock', async () => {
    const { clock, controller, add, end } = fixture();
    add('stuck');
    await clock.advance(0);
    clock.set(60 * minute);
    expect(controller.hungWorker()).toBeUndefined();
    await end();
  });
});
