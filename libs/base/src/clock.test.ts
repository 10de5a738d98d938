import { mock } from 'node:test';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './testing/fake-clock.js';
import { aborted } from './abort.js';
import { delay, sleep, stopwatch, systemClock } from './clock.js';
import { MovableClock } from './testing/movable-clock.js';

describe('FakeClock', () => {
  it('fires due timers in the order of their times, including those set by other timers', async () => {
    const clock = new FakeClock(1_000);
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} at ${clock.now()}`);
    clock.setTimeout(note('late'), 30);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('second'), 10);
    clock.setTimeout(note('cancelled'), 5).cancel();
    void delay(clock, 15, new AbortController().signal).then(() => clock.setTimeout(note('nested'), 5));
    await clock.advance(29);
    expect(fired).toEqual(['first at 1010', 'second at 1010', 'nested at 1020']);
    expect([clock.now(), clock.pendingTimers]).toEqual([1_029, 1]);
    await clock.advance(1);
    expect(fired.at(-1)).toBe('late at 1030');
  });
});

describe('delay', () => {
  it('ends early when the signal aborts, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const waiting = delay(clock, 1_000, controller.signal);
    controller.abort();
    await waiting;
    await delay(clock, 1_000, controller.signal);
    await aborted(controller.signal);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('sleep', () => {
  it('resolves after its time', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    await clock.run(Promise.all([sleep(clock, 500), sleep(clock, 1_000, controller.signal)]));
    expect(clock.now()).toBe(new FakeClock().now() + 1_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with the reason when the signal aborts, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 1_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleeping).rejects.toThrow('stop');
    await expect(sleep(clock, 1_000, controller.signal)).rejects.toThrow('stop');
    await expect(sleep(clock, 1_000, AbortSignal.abort('text'))).rejects.toThrow(/aborted/);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('stopwatch', () => {
  it.each([-3_600_000, 3_600_000])(
    'returns the seconds that passed even if the wall clock jumps by %d ms',
    async (ms) => {
      const clock = new FakeClock();
      const seconds = stopwatch(clock);
      expect(seconds()).toBe(0);
      await clock.advance(1_500);
      clock.set(ms);
      await clock.advance(500);
      expect(seconds()).toBe(2);
    },
  );
});

describe('MovableClock', () => {
  it('fires a timer of a month once the clock has been moved that far', async () => {
    const clock = new MovableClock();
    const fired = new Promise<void>((resolve) => void clock.setTimeout(resolve, 40 * 86_400_000));
    const before = clock.now();
    clock.forward(40 * 86_400_000);
    await fired;
    expect(clock.now() - before).toBeGreaterThanOrEqual(40 * 86_400_000);
  });
});

describe('systemClock', () => {
  it('returns the time and fires timers that are not cancelled', async () => {
    const before = Date.now();
    const fired: string[] = [];
    systemClock.setTimeout(() => fired.push('cancelled'), 1).cancel();
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, 2));
    expect(fired).toEqual([]);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  });

  it('fires a timer whose time is over, without a warning of Node.js 24', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, -0.1));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('measures durations with a clock that is never set back', () => {
    const [now, before] = [Date.now, systemClock.monotonic()];
    Date.now = () => now() - 3_600_000;
    try {
      expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    } finally {
      Date.now = now;
    }
  });

  it('does not fire at once for a delay beyond the limit of a Node timer', async () => {
    const fired: string[] = [];
    const timer = systemClock.setTimeout(() => fired.push('month'), 40 * 86_400_000);
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, 5));
    timer.cancel();
    expect(fired).toEqual([]);
  });

  it('splits a long delay into steps that Node supports, and fires after the last one', () => {
    const armed: number[] = [];
    const steps: (() => void)[] = [];
    const arm = mock.method(globalThis, 'setTimeout', (step: () => void, ms: number) => {
      armed.push(ms);
      steps.push(step);
    });
    try {
      let fired = 0;
      systemClock.setTimeout(() => (fired += 1), 2 ** 32);
      while (steps.length > 0) steps.shift()?.();
      expect(armed).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 2]);
      expect(fired).toBe(1);
    } finally {
      arm.mock.restore();
    }
  });
});
