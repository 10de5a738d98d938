import { describe, expect, it } from '@jest/globals';
import { FakeClock, recordLog } from '@interlock/base/testing';
import { Debounce } from './debounce.js';

function fixture() {
  const clock = new FakeClock(0);
  const log = recordLog();
  const debounce = new Debounce(clock, log, 2_000);
  const ran: string[] = [];
  const run = (key: string, what: string): Promise<void> =>
    debounce.run(key, async () => void ran.push(`${what} at ${clock.now()}`));
  return { clock, log, debounce, ran, run };
}

describe('Debounce', () => {
  it('runs the first work of a key immediately', async () => {
    const { ran, run } = fixture();
    await run('a', 'first');
    await run('b', 'other');
    expect(ran).toEqual(['first at 0', 'other at 0']);
  });

  it('runs the last request within the interval once, at its end', async () => {
    const { clock, ran, run } = fixture();
    for (let n = 0; n < 30; n++) {
      await run('a', `work ${n}`);
      await clock.advance(100);
    }
    await clock.advance(10_000);
    expect(ran).toEqual(['work 0 at 0', 'work 19 at 2000', 'work 29 at 4000']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs no work of a key beside other work of it, and once afterwards', async () => {
    const { clock, debounce, ran, run } = fixture();
    let finish = (): void => undefined;
    const slow = debounce.run('a', () => new Promise((resolve) => (finish = resolve)));
    for (let n = 0; n < 30; n++) {
      await run('a', `work ${n}`);
      await clock.advance(1_000);
    }
    expect(ran).toEqual([]);
    finish();
    await slow;
    await clock.advance(10_000);
    expect(ran).toEqual(['work 29 at 32000']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects when the first work fails, and logs the failure of later work', async () => {
    const { clock, log, debounce } = fixture();
    const fail = (): Promise<void> => Promise.reject(new Error('the API server does not answer'));
    await expect(debounce.run('a', fail)).rejects.toThrow('does not answer');
    await debounce.run('a', fail);
    await clock.advance(2_000);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });
});
