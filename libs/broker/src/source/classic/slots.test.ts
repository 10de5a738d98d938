import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import type { Agent } from './agent.js';
import { Slots } from './slots.js';

const agent = (name: string): Agent => ({ record: { name, phase: 'bound' } }) as Agent;
const identity = (id: string) => ({ planId: `plan-${id}`, jobId: `job-${id}` });

describe('the room of a source', () => {
  it('is used by jobs that are offered or claimed, but not by jobs that are held back', () => {
    const slots = new Slots(new FakeClock());
    slots.setCapacity(2);
    const [first, second] = ['a', 'b'].map((key) => slots.add({ key, agent: undefined }));
    expect([slots.room, slots.held()]).toEqual([2, [first, second]]);
    if (first !== undefined) slots.offer(first);
    const third = slots.add({ key: 'c', agent: undefined, state: 'claimed', identity: identity('c') });
    expect([slots.room, slots.held()]).toEqual([0, [second]]);
    slots.remove(third, 'unusable');
    if (second !== undefined) slots.remove(second, 'returned');
    expect([slots.room, slots.held()]).toEqual([1, []]);
  });
});

describe('a cancellation', () => {
  it('finds its job by the id of the job, by the id of the delivery, or as the only job of its runner', () => {
    const slots = new Slots(new FakeClock());
    const [one, other] = [agent('one'), agent('other')];
    const slot = slots.add({ key: 'a', agent: one, state: 'claimed', identity: identity('a') });
    const taken = slots.add({ key: 'b', agent: other, state: 'offered' });
    slots.take(taken, {
      identity: identity('b'),
      run: undefined,
      orchestrationId: undefined,
      claim: undefined,
    });
    expect(slots.ofCancellation('job-a', other)).toBe(slot);
    expect(slots.ofCancellation('job-b', one)).toBe(taken);
    expect(slots.ofCancellation('b', one)).toBe(taken);
    expect(slots.ofCancellation('unknown', other)).toBe(taken);
    slots.remove(slot, 'unusable');
    expect(slots.ofCancellation('job-a', one)).toBeUndefined();
  });
});

describe('a delivery that cannot be claimed', () => {
  it('is ignored for ten minutes', async () => {
    const clock = new FakeClock();
    const slots = new Slots(clock);
    slots.finish('a');
    await clock.advance(599_999);
    expect([slots.isFinished('a'), slots.isFinished('b')]).toEqual([true, false]);
    await clock.advance(1);
    expect(slots.isFinished('a')).toBe(false);
  });

  it('is ignored for five seconds after its first refusal, and for up to ten minutes after later refusals', async () => {
    const clock = new FakeClock();
    const slots = new Slots(clock);
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
      slots.refuse('a');
      await clock.advance(seconds * 1_000 - 1);
      expect(slots.isFinished('a')).toBe(true);
      await clock.advance(1);
      expect(slots.isFinished('a')).toBe(false);
    }
  });
});
