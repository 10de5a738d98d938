import { expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import type { FluxObject } from '@interlock/gating';
import { Holder } from './holder.js';
import { claim, fluxObject, held } from './testing/builders.js';

it('does not release an object after a change of its gates is due, however long the release of others takes', async () => {
  const clock = new FakeClock();
  const begun = clock.now();
  const written: string[] = [];
  const holder = new Holder({
    clock,
    client: {
      /* The first write takes a minute. */
      apply: async (_kind, { metadata }) => {
        written.push(metadata.name);
        await clock.advance(60_000);
        return {} as never;
      },
    },
    observer: {
      read: (object, now) => ({
        object,
        claims: [claim('Open', { settled: now < begun + 60_000 })],
        mayRelease: true,
        own: undefined,
      }),
    },
    ...{ guards: { begin: () => true, written: () => undefined }, recheck: () => undefined },
    ...{ failures: { clear: () => undefined, record: () => undefined }, events: { record: () => undefined } },
  });
  const { signal } = new AbortController();
  const settle = (object: FluxObject) => holder.settle(object, { signal });
  const [first, second] = ['first', 'second'].map((name) => fluxObject({ name, notes: held() }));
  expect([await settle(first!), await settle(second!)]).toEqual(['applied', 'waiting']);
  expect(written).toEqual(['first']);
});
