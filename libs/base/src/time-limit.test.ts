import { setFlagsFromString } from 'node:v8';
import { setImmediate } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { timeLimit } from './time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Listens to a signal that has no other references. Returns the reason of its abort once it has aborted. */
function listen(make: () => AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    const signal = make();
    signal.addEventListener('abort', function (this: AbortSignal) {
      resolve(this.reason);
    });
  });
}

test('ends a wait at the time limit, even after a garbage collection', async () => {
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

test('ends a wait when the other signal aborts', async () => {
  const other = new AbortController();
  const ended = listen(() => timeLimit(60_000, other.signal));
  other.abort('stopped');
  expect(await ended).toBe('stopped');
  expect(timeLimit(60_000).aborted).toBe(false);
});
