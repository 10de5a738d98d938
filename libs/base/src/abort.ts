import { setMaxListeners } from 'node:events';

/** Returns the reason of an aborted signal as an error that can be thrown. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('The operation was aborted', 'AbortError');
}

/**
 * Calls `callback` once when `signal` aborts, or at once if it has already been aborted. Returns a function that
 * withdraws the callback.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  /* Any number of callers may wait for one signal; Node warns above ten. */
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/**
 * Waits for work that other callers wait for too: an abort ends this wait, but not the work. Returns the result of
 * `work`, or rejects with the signal's reason if it is aborted first.
 */
export function waitFor<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const off = onAbort(signal, () => reject(abortReason(signal)));
    void work.then(resolve, reject).finally(off);
  });
}
