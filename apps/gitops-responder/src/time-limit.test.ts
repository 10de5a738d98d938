import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { MovableClock } from '@interlock/base/testing';
import { withTimeLimit } from './time-limit.js';

const hang = async (signal: AbortSignal): Promise<never> => {
  await once(signal, 'abort');
  throw signal.reason;
};

it('rejects work at the time limit or when the signal aborts, and does not affect finished work', async () => {
  const clock = new MovableClock();
  const never = new AbortController().signal;
  const slow = withTimeLimit(clock, 90_000, never, hang);
  const rejection = expect(slow).rejects.toMatchObject({
    type: 'Transient',
    reason: 'TimedOut',
    message: expect.stringContaining('90 s'),
  });
  clock.forward(90_000);
  await rejection;
  const stop = new AbortController();
  const stopped = withTimeLimit(clock, 90_000, stop.signal, hang);
  const ended = expect(stopped).rejects.toThrow('stop');
  stop.abort(new Error('stop'));
  await ended;
  let given: AbortSignal | undefined;
  const quick = withTimeLimit(clock, 90_000, never, (signal) => {
    given = signal;
    return Promise.resolve(7);
  });
  await expect(quick).resolves.toBe(7);
  clock.forward(100_000);
  expect(given?.aborted).toBe(false);
});
