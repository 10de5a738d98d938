/** Keeps the timeout of a signal alive as long as the signal. */
const timeouts = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Returns a signal that aborts after a time, with a `TimeoutError`, or when another signal aborts.
 *
 * `AbortSignal.any` alone is not enough: it holds its sources weakly, and Node.js 20 collects a timeout without other
 * references, together with its timer, so that the signal never aborts.
 *
 * @param ms milliseconds
 */
export function timeLimit(ms: number, signal?: AbortSignal | null): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  if (signal == null) return timeout;
  const either = AbortSignal.any([signal, timeout]);
  timeouts.set(either, timeout);
  return either;
}
