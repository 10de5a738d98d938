import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import fc from 'fast-check';
import { callPriorities, Governor } from './governor.js';

const signal = new AbortController().signal;
const create = (clock: FakeClock, hourlyBudget = 100, random = () => 0) =>
  new Governor({ clock, random, hourlyBudget });

describe('Governor', () => {
  test('admits a renewal while polls are paused after a refusal', async () => {
    const clock = new FakeClock();
    const governor = create(clock);
    governor.refused('poll', 60_000);
    expect(await governor.admit('renew', signal)).toBe(0);
    expect(await governor.admit('acquire', signal)).toBe(0);
    expect(await clock.run(governor.admit('poll', signal))).toBe(60_000);
  });

  test('reserves the last calls of the budget for renewals', async () => {
    const clock = new FakeClock();
    const governor = create(clock);
    for (let call = 0; call < 88; call++) expect(await governor.admit('poll', signal)).toBe(0);
    const poll = governor.admit('poll', signal);
    for (let call = 0; call < 12; call++) expect(await governor.admit('renew', signal)).toBe(0);
    expect(await clock.run(poll)).toBeGreaterThan(0);
  });

  test('doubles the pause of a 429 without Retry-After up to five minutes, and counts calls that are refused together once', async () => {
    const clock = new FakeClock();
    const governor = create(clock, 100, () => 0.999);
    const first = governor.refused('poll', undefined);
    expect(governor.refused('poll', undefined)).toBe(first);
    let pause = 0;
    for (let n = 0; n < 8; n++) {
      await clock.advance(3_600_000);
      pause = governor.refused('poll', undefined);
    }
    expect(pause).toBe(299_700);
  });

  test('does not lengthen the pause of a 429 without Retry-After by refusals of other priorities', async () => {
    const clock = new FakeClock();
    const governor = create(clock, 100, () => 0.999);
    for (const priority of callPriorities.toReversed()) {
      expect(governor.refused(priority, undefined)).toBe(9_990);
      await clock.advance(9_990);
    }
  });

  test('rejects a wait that is aborted', async () => {
    const governor = create(new FakeClock());
    governor.refused('poll', 60_000);
    const reason = new Error('stopped');
    await expect(governor.admit('poll', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('never admits more calls in an hour than twice the budget', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...callPriorities), { maxLength: 60 }), async (calls) => {
        const clock = new FakeClock();
        const governor = create(clock, 10);
        const startedAt = clock.monotonic();
        await clock.run(Promise.all(calls.map((priority) => governor.admit(priority, signal))));
        const hours = (clock.monotonic() - startedAt) / 3_600_000;
        expect(calls.length).toBeLessThanOrEqual(10 * (1 + hours) + 0.001);
      }),
      { numRuns: 20 },
    );
  });
});
