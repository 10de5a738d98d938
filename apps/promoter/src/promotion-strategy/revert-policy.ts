import type { PromotionEnvironment, PromotionStrategy } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import { keysOf } from '../promotion/statuses.js';

/** What a strategy says about the reverts of an environment, with defaults filled in. */
export interface ResolvedRevertPolicy {
  mode: 'Off' | 'PullRequest' | 'Auto';
  /** Milliseconds. */
  afterFailedForMs: number;
  maxPerHour: number;
  skippableChecks: readonly string[];
}

/** @returns the policy of an environment, which overrides that of its strategy field by field. */
export function revertPolicyOf(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
): ResolvedRevertPolicy {
  const policy = { ...strategy.spec.revertPolicy, ...environment.revertPolicy };
  return {
    mode: policy.mode ?? 'Off',
    afterFailedForMs: parseDuration(policy.afterFailedFor ?? '5m'),
    maxPerHour: policy.maxPerHour ?? 3,
    skippableChecks: keysOf(policy.skippableChecks),
  };
}
