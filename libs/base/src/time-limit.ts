/** Holds the timeout of a signal as long as the signal lives. */
const timeouts = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Returns a signal that aborts after a time, with a `TimeoutError`, or with another signal.
 *
 * `AbortSignal.any` alone does not do: it holds its sources weakly, and Node.js 20 collects a timeout that nothing else holds,
 * together with its timer, so that the signal never aborts.
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
