import { backoffMs, delay, type Backoff, type Clock } from '@interlock/base';

interface PersistOptions {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The pauses between attempts, in addition to `leastMs`. */
  backoff: Backoff;
  leastMs: number;
  /** Called after each failure, with the number of attempts so far. Throws the error when no other attempt may help. */
  onFailure(error: unknown, attempt: number): void;
}

/** Repeats a step until it succeeds. Returns its result; undefined when `signal` aborts first. @throws the errors of `onFailure` */
export async function persist<T>(
  step: () => Promise<T>,
  { clock, random, backoff, leastMs, onFailure }: PersistOptions,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) return undefined;
      onFailure(error, attempt);
      await delay(clock, leastMs + backoffMs(attempt, backoff, random), signal);
    }
  }
  return undefined;
}
