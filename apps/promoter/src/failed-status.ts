import { isTyped, type Condition, type KubeObject } from '@interlock/api';
import { markFailed, type Failure } from '@interlock/kube';

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
  { metadata: { generation } }: KubeObject,
  status: S | undefined,
  { error, lasts }: Failure,
  now: number,
): S | undefined {
  if (!lasts || isTyped(error, 'Conflict')) return status;
  const conditions = markFailed(status?.conditions, error, generation, now);
  return { ...(status as S), observedGeneration: generation, conditions };
}
