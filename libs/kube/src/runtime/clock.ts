import { setMaxListeners } from 'node:events';
import type { Clock } from './types.js';

/** The longest delay that Node's timers take; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clock. Delays of any length are kept, in steps where Node's timers are too short for them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    let timer: NodeJS.Timeout;
    const arm = (rest: number): void => {
      timer =
        rest <= longestTimerMs
          ? setTimeout(callback, rest)
          : setTimeout(() => arm(rest - longestTimerMs), longestTimerMs);
    };
    arm(ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Calls `callback` once when `signal` aborts, at once if it is aborted already. @returns a function that takes it back. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  /* Any number may wait for one signal; Node warns above ten. */
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts: the caller looks at the signal. Never rejects. */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      off();
      resolve();
    };
    const timer = clock.setTimeout(finish, ms);
    const off = onAbort(signal, finish);
  });
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
