import type { Clock } from '@interlock/base';

/** The machine's clock, with timers that do not keep the process alive. Delays must fit Node's timers: 2³¹ − 1 ms. */
export const machineClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
