import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { LockKeeper } from './lock-keeper.js';

const minute = 60_000;
const failure = new TypedError('Transient', 'HTTP 503', { reason: 'ServerError' });
const gone = new TypedError('NotFound', 'HTTP 404', { reason: 'NotFound' });

/**
 * Returns a keeper of one lock of ten minutes, whose renewals `outcome` decides; times are minutes from its beginning.
 */
function fixture(outcome: (at: number) => Error | undefined = () => undefined) {
  const clock = new FakeClock();
  const startedAt = clock.monotonic();
  const elapsed = (): number => (clock.monotonic() - startedAt) / minute;
  const renewals: number[] = [];
  const renew = (): Promise<{ lockedUntil: number }> => {
    renewals.push(elapsed());
    const error = outcome(elapsed());
    return error === undefined
      ? Promise.resolve({ lockedUntil: clock.now() + 10 * minute })
      : Promise.reject(error);
  };
  const ignore = (): void => undefined;
  const keeper = new LockKeeper([{ renew, complete: () => Promise.resolve('concluded') }], {
    ...{ clock, random: () => 0.5, log: silentLog },
    ...{ onRenewed: ignore, onFailed: ignore, onChange: ignore },
  });
  return { clock, keeper, renewals };
}

const longestGap = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((time, index) => time - times[index]!));

describe('LockKeeper', () => {
  it('renews the lock immediately, and then every minute', async () => {
    const { clock, renewals } = fixture();
    await clock.advance(30 * minute);
    expect(renewals[0]).toBe(0);
    expect(longestGap(renewals)).toBeLessThanOrEqual(1);
    expect(renewals.length).toBeLessThan(36);
  });

  it.each([10 * minute, -10 * minute, 24 * 60 * minute])(
    'keeps the schedule of its renewals when its clock jumps by %i ms',
    async (byMs) => {
      const { clock, keeper, renewals } = fixture();
      await clock.advance(5 * minute);
      clock.set(byMs);
      await clock.advance(15 * minute);
      expect(longestGap(renewals)).toBeLessThanOrEqual(1);
      expect(renewals.length).toBeLessThan(25);
      expect(keeper.view.lostAt).toBeUndefined();
    },
  );

  it.each([
    [9, false],
    [14, false],
    [16, true],
  ])('when renewals fail for %i minutes, reports the lock as lost: %s', async (minutes, isLost) => {
    const { clock, keeper } = fixture((at) => (at > 2 && at < 2 + minutes ? failure : undefined));
    await clock.advance((2 + minutes + 1) * minute);
    expect(keeper.view.lostAt !== undefined).toBe(isLost);
    expect(keeper.view.isRevoked).toBe(false);
  });

  it.each([
    ['while it lasts', (at: number) => (at > 2 ? gone : undefined), true],
    ['after it has expired', (at: number) => (at > 13 ? gone : at > 2 ? failure : undefined), false],
    ['after another process has renewed it', () => gone, false],
  ])('derives who ended a job when its lock disappears %s', async (_title, outcome, isRevoked) => {
    const { clock, keeper, renewals } = fixture(outcome);
    await clock.advance(20 * minute);
    const { length } = renewals;
    expect(keeper.view).toMatchObject({ lostAt: expect.any(Number), isRevoked });
    await clock.advance(20 * minute);
    expect(renewals).toHaveLength(length);
  });
});
