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
  /** Ends the attempt from outside: the process has to stop now. */
  stop: AbortSignal;
  clock: Clock;
  log: Logger;
  tracer: Tracer | undefined;
}

/** How one reconcile ended; `stopped` is nobody's fault and nothing follows from it. */
export type Outcome =
  | { type: 'done'; result: ReconcileResult }
  | { type: 'failed'; error: unknown; timedOut: boolean }
  | { type: 'stopped' };

/**
 * Runs one reconcile with its timeout, span and log. Never rejects. A reconcile that does not listen to its signal is
 * waited for all the same: its key must not be worked on twice at a time.
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
    ...(cause !== undefined && { cause }),
  });
}
