import { keyString, TypedError, type ObjectKey } from '@interlock/api';
import { onAbort, type Clock, type Logger } from '@interlock/base';
import type { Link, Tracer } from '@opentelemetry/api';
import { inSpan } from './tracing.js';
import type { Reconcile, ReconcileResult } from './types.js';

interface AttemptOptions {
  controller: string;
  reconcile: Reconcile;
  key: ObjectKey;
  reconcileID: string;
  links: Link[];
  timeoutMs: number;
  /** Ends the attempt from outside, because the process must stop now. */
  stop: AbortSignal;
  clock: Clock;
  log: Logger;
  tracer: Tracer | undefined;
}

/** How one reconcile ended. `stopped` means that the process stops, and has no consequences. */
export type Outcome =
  | { type: 'done'; result: ReconcileResult }
  | { type: 'failed'; error: unknown; timedOut: boolean }
  | { type: 'stopped' };

/**
 * Runs one reconcile with its timeout, span and log. It never rejects. A reconcile that ignores its signal is still
 * waited for, because its key must not be processed twice at the same time.
 */
export async function reconcileOnce(options: AttemptOptions): Promise<Outcome> {
  const { clock, key, stop, timeoutMs, controller, reconcileID } = options;
  const aborter = new AbortController();
  const off = onAbort(stop, () => aborter.abort(stop.reason));
  let timedOut = false;
  const timer = clock.setTimeout(() => {
    timedOut = true;
    aborter.abort(timeoutError(timeoutMs));
  }, timeoutMs);
  const attributes = { controller, 'k8s.object': keyString(key), reconcileID };
  try {
    const result = await inSpan(
      options.tracer,
      { name: `reconcile ${controller}`, links: options.links, attributes },
      async () => options.reconcile(key, { signal: aborter.signal, log: options.log, now: clock.now() }),
    );
    /* It would keep the delayed keys of the queue from their turn. */
    if (Number.isNaN(result?.requeueAfterMs)) throw new RangeError('requeueAfterMs is not a number');
    return { type: 'done', result: result ?? {} };
  } catch (error) {
    if (stop.aborted) return { type: 'stopped' };
    return { type: 'failed', error: timedOut ? timeoutError(timeoutMs, error) : error, timedOut };
  } finally {
    off();
    timer.cancel();
  }
}

function timeoutError(timeoutMs: number, cause?: unknown): TypedError {
  return new TypedError('Transient', `The reconcile was aborted after ${timeoutMs} ms.`, {
    reason: 'ReconcileTimeout',
    cause,
  });
}
