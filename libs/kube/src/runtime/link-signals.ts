import { onAbort } from '@interlock/base';

/**
 * Returns a signal that aborts with the first of two, and a function that must be called when the signal is no longer
 * needed. Unlike `AbortSignal.any`, it can be unlinked: the signal of a process would otherwise retain the signal of
 * each of its calls.
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
