import type { Clock } from '@interlock/base';

/** A signal that aborts after a time of a clock. Whoever is in time cancels it, so that nothing is left behind. */
export interface Deadline {
  readonly signal: AbortSignal;
  cancel(): void;
}

/** Returns a deadline. @param ms milliseconds from now */
export function deadlineOf(clock: Clock, ms: number): Deadline {
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, cancel: () => timer.cancel() };
}
