import { TypedError } from '@interlock/api';
import type { Clock } from '@interlock/base';

/**
 * Returns the result of `work`.
 * @param work receives a signal that aborts with `signal`, or after `ms` milliseconds with the error `Transient` and reason
 *   `TimedOut`. The function waits until the work ends by itself.
 */
export async function withTimeLimit<R>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const limit = new AbortController();
  const timer = clock.setTimeout(() => {
    const message = `it timed out after ${Math.round(ms / 1000)} s`;
    limit.abort(new TypedError('Transient', message, { reason: 'TimedOut' }));
  }, ms);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    timer.cancel();
  }
}
