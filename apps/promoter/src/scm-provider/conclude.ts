import type { AnyScmProvider } from '@interlock/api';
import type { Conclusion } from '@interlock/kube';
import type { ObservedProvider, ProviderDecision } from './decide.js';

/**
 * Returns the status of a provider, and when to check it again. Pure.
 *
 * @param pollIntervalMs milliseconds between two reads of its Secret, which is not watched.
 */
export function concludeProvider(
  { provider: { metadata } }: ObservedProvider,
  { conditions, dueInMs }: ProviderDecision,
  pollIntervalMs: number,
): Conclusion<AnyScmProvider> {
  return {
    status: { observedGeneration: metadata.generation, conditions },
    requeueAfterMs: Math.min(dueInMs ?? pollIntervalMs, pollIntervalMs),
  };
}
