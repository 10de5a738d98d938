import type { ObservedSituation } from './observed.js';
import type { TransitionReporter } from './transition-reporter.js';

/**
 * Reports transitions that were recorded before this reconcile adds another. This happens before the status is written,
 * so that the transition of a write whose answer is lost counts as new in the next reconcile.
 */
export function actOnGate(
  reporter: Pick<TransitionReporter, 'catchUp'>,
  { gate }: ObservedSituation,
): Promise<undefined> {
  reporter.catchUp(gate);
  return Promise.resolve(undefined);
}
