import { ApiError, forbidden } from '../../api/api-error.js';
import { formatSeconds, objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { allowedCondition } from '../../controllers/disruption/decide.js';
import { isActive, isReady } from '../../controllers/pod-state.js';

const maxDisruptedPods = 2000;
const retryAfterSeconds = 10;
const violation = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * Returns whether a pod can be evicted without regard to budgets: it has not started, has ended or is being deleted.
 */
export function ignoresBudgets(pod: KubeObject): boolean {
  return !isActive(pod) || textAt(pod, 'status', 'phase') === 'Pending';
}

/** Returns whether an unready pod can be evicted without a charge to its budget. */
export function isFreeOfCharge(pod: KubeObject, budget: KubeObject): boolean {
  if (isReady(pod)) return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = count(budget, 'desiredHealthy');
  return count(budget, 'currentHealthy') >= desired && desired > 0;
}

/**
 * Returns the status of a budget that is charged with the eviction of a pod. Source: Kubernetes
 * pkg/registry/core/pod/storage/eviction.go.
 *
 * @throws ApiError TooManyRequests or Forbidden when the budget does not allow it.
 */
export function charged(budget: KubeObject, podName: string, now: Date): JsonObject {
  const { name, generation = 0 } = budget.metadata;
  const subject = { group: 'policy', kind: 'poddisruptionbudget', name };
  const allowed = count(budget, 'disruptionsAllowed');
  const disruptedPods = objectAt(budget, 'status', 'disruptedPods');
  if (count(budget, 'observedGeneration') < generation) throw stillProcessed(name);
  if (allowed < 0) throw forbidden(subject, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(subject, why);
  }
  if (allowed === 0) throw tooManyRequests(whyNot(budget));
  return {
    ...objectAt(budget, 'status'),
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disruptedPods, [podName]: formatSeconds(now) },
    ...(allowed === 1 && { conditions: allowedCondition(budget, 'InsufficientPods', '', now) }),
  };
}

/** Returns the 429 of an eviction while the status of the budget is not up to date. */
export function stillProcessed(name: string): ApiError {
  return tooManyRequests(
    `The disruption budget ${name} is still being processed by the server.`,
    retryAfterSeconds,
  );
}

function whyNot(budget: KubeObject): string {
  const { name } = budget.metadata;
  const failed = objectsAt(budget, 'status', 'conditions').find(({ reason }) => reason === 'SyncFailed');
  if (failed !== undefined) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${textAt(failed, 'message')}`;
  }
  const [desired, current] = [count(budget, 'desiredHealthy'), count(budget, 'currentHealthy')];
  return `The disruption budget ${name} needs ${String(desired)} healthy pods and has ${String(current)} currently`;
}

function tooManyRequests(message: string, retryAfter = 0): ApiError {
  return new ApiError(429, 'TooManyRequests', violation, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }),
  });
}

function count(budget: KubeObject, field: string): number {
  const value = valueAt(budget, 'status', field);
  return typeof value === 'number' ? value : 0;
}
