import { onAbort } from '@interlock/base';

/**
 * One signal that aborts with the first of two. Unlike `AbortSignal.any` it can be taken apart again: the signal of a
 * whole process would otherwise keep the signal of each of its calls.
 *
 * @returns the signal and a function that must be called when it is no longer needed
 */
export function linkSignals(
  first: AbortSignal,
  second: AbortSignal | undefined,
): { signal: AbortSignal; unlink: () => void } {
  if (second === undefined) return { signal: first, unlink: () => undefined };
  const linked = new AbortController();
  const offs = [first, second].map((signal) => onAbort(signal, () => linked.abort(signal.reason)));
  return { signal: linked.signal, unlink: () => offs.forEach((off) => off()) };
}
