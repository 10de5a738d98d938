import { setFlagsFromString } from 'node:v8';
import { setImmediate } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { timeLimit } from './time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Listens to a signal that nothing else holds. @returns why it aborted, once it has. */
function listen(make: () => AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    const signal = make();
    signal.addEventListener('abort', function (this: AbortSignal) {
      resolve(this.reason);
    });
  });
}

test('a time limit ends what waits for it, also after a garbage collection', async () => {
  const other = new AbortController();
  let reason: unknown;
  void listen(() => timeLimit(50, other.signal)).then((why) => (reason = why));
  while (reason === undefined) {
    collectGarbage();
    await setImmediate();
  }
  expect(reason).toMatchObject({ name: 'TimeoutError' });
  expect(other.signal.aborted).toBe(false);
});

test('a time limit ends with the other signal', async () => {
  const other = new AbortController();
  const ended = listen(() => timeLimit(60_000, other.signal));
  other.abort('stopped');
  expect(await ended).toBe('stopped');
  expect(timeLimit(60_000).aborted).toBe(false);
});
