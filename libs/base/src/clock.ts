import { abortReason, onAbort, type StopSignal } from './abort.js';

/** The source of time, which tests can control. Controllers never call `Date.now` or timers directly. */
export interface Clock {
  /** Milliseconds since the epoch, for timestamps. It may be set back or forward at any time. */
  now(): number;
  /** Milliseconds of a clock that only runs forward, from an arbitrary start; for durations. */
  monotonic(): number;
  setTimeout(callback: () => void, ms: number): { cancel(): void };
}

/** The longest delay that Node's timers support; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the machine. Delays can have any length; those that exceed the limit of Node's timers are split. */
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
    /* Node.js prints a warning for a time that is over. */
    arm(Math.max(0, ms));
    return { cancel: () => clearTimeout(timer) };
  },
};

/**
 * Starts to measure a duration. Returns a function that returns the seconds since then, even if the wall clock is set
 * meanwhile.
 */
export function stopwatch(clock: Pick<Clock, 'monotonic'>): () => number {
  const startedAt = clock.monotonic();
  return () => (clock.monotonic() - startedAt) / 1000;
}

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts; the caller checks the signal. Never rejects. */
export function delay(clock: Clock, ms: number, signal: StopSignal): Promise<void> {
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

/** Resolves after `ms` milliseconds, or rejects with the signal's reason if it aborts first. */
export async function sleep(clock: Clock, ms: number, signal?: StopSignal): Promise<void> {
  if (signal === undefined) return new Promise((resolve) => void clock.setTimeout(resolve, ms));
  await delay(clock, ms, signal);
  if (signal.aborted) throw abortReason(signal);
}
