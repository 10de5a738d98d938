import { expect, it } from '@jest/globals';
import { FakeClock, recordLog } from '@interlock/kube/testing';
import { Holder, type HolderOptions } from './holder.js';
import { fluxObject } from './testing/builders.js';

it.each([-3_600_000, 0, 3_600_000])(
  'waits ten seconds for the gates after the start when the clock is set by %d ms',
  async (stepMs) => {
    const clock = new FakeClock();
    const options = { manager: { clock }, judge: { settled: false }, guards: { seen: () => undefined } };
    const holder = new Holder(options as unknown as HolderOptions);
    const reconcile = () => {
      const context = { now: clock.now(), signal: new AbortController().signal, log: recordLog() };
      return holder.reconcile(fluxObject(), context);
    };
    expect(await reconcile()).toEqual({ requeueAfterMs: 10_000 });
    clock.set(stepMs);
    await clock.advance(4_000);
    expect(await reconcile()).toEqual({ requeueAfterMs: 6_000 });
  },
);
