import { isTyped, type Condition, type KubeObject } from '@interlock/api';
import { getCondition, markFailed, type Failure } from '@interlock/kube';

interface StatusFields {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
}

/**
 * Returns the status after an act that failed: a failure that lasts is a condition, because users would otherwise see events
 * only. Everything else keeps its value. A conflict is resolved by the next reconcile. Pure.
 *
 * @param status to report; absent if there is none yet
 * @param now milliseconds since the epoch
 */
export function failedStatus<S extends StatusFields>(
  { metadata: { generation }, status: before }: KubeObject & { status?: StatusFields | undefined },
  status: S | undefined,
  { error, lasts }: Failure,
  now: number,
): S | undefined {
  if (!lasts || isTyped(error, 'Conflict')) return status;
  const failed = markFailed(status?.conditions, error, generation, now);
  const conditions = failed.map((condition) => withTimeOf(before?.conditions, condition));
  return { ...(status as S), observedGeneration: generation, conditions };
}

/* The decided status assumes that the act succeeds, so a failure that continues would always seem new. */
function withTimeOf(before: readonly Condition[] | undefined, condition: Condition): Condition {
  const known = getCondition(before, condition.type);
  if (known?.status !== condition.status) return condition;
  return { ...condition, lastTransitionTime: known.lastTransitionTime };
}
