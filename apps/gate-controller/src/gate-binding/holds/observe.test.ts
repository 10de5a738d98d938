import { expect, it } from '@jest/globals';
import type { ObjectKey } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { Later } from '@interlock/kube';
import { HoldObserver } from './observe.js';
import { fluxObject, indexOfBindings, objectsOf, verdict } from './testing/builders.js';

function observerOf(clock: FakeClock, settled: boolean) {
  const seen: { metadata: ObjectKey }[] = [];
  const observer = new HoldObserver({
    clock,
    judge: { settled, judge: () => verdict('Closed') },
    known: { bindings: indexOfBindings(), verdictOf: () => undefined, objects: objectsOf() },
    guards: { seen: (object) => void seen.push(object) },
  });
  return { observer, seen };
}

it.each([-3_600_000, 0, 3_600_000])(
  'waits ten seconds for the gates after the start when the clock jumps by %d ms',
  async (stepMs) => {
    const clock = new FakeClock();
    const { observer } = observerOf(clock, false);
    const observe = () => observer.observe(fluxObject(), clock.now());
    expect(observe()).toEqual(new Later(10_000));
    clock.set(stepMs);
    await clock.advance(4_000);
    expect(observe()).toEqual(new Later(6_000));
    await clock.advance(6_000);
    expect(observe()).toMatchObject({ mayRelease: false });
  },
);

it('does not wait once all gates have been evaluated', () => {
  const { observer, seen } = observerOf(new FakeClock(), true);
  const object = fluxObject();
  expect(observer.observe(object, 0)).toEqual({ object, claims: [], mayRelease: true, own: undefined });
  expect(seen).toEqual([object]);
});

it('includes the annotations of a source in the claims on it', () => {
  const { observer } = observerOf(new FakeClock(), true);
  const object = fluxObject({ notes: { 'gating.toolkit.fluxcd.io/gates': 'freeze' } });
  expect(observer.read(object, 0)).toMatchObject({
    claims: [{ mode: 'Suspend', verdict: { state: 'Closed' } }],
    own: { problem: undefined },
  });
});
