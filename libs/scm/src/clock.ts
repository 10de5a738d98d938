import { abortReason } from './abort.js';

/** Time, so that tests can hold it. The same shape as the controller runtime's clock. */
export interface Clock {
  /** Milliseconds since the epoch: for timestamps. It may be set back, or forward, at any time. */
  now(): number;
  /** Milliseconds of a clock that only runs forward, from any beginning: for durations. */
  monotonic(): number;
  setTimeout(callback: () => void, ms: number): { cancel(): void };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, ms) => {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted before. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortReason(signal));
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      if (signal !== undefined) reject(abortReason(signal));
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
