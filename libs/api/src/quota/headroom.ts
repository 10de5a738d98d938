import type { KubeObject } from '../object.js';
import { fieldAt } from '../quantity/fields.js';
import type { Quantity } from '../quantity/quantity.js';
import { resourceList, type ResourceList } from '../quantity/resource-list.js';
import { countsPods, podUsage, unstatedUsage } from './pod-usage.js';
import { isPodInScope, scopeRequirements } from './scopes.js';

/** The room that a ResourceQuota leaves for pods of one shape. Quantities are in canonical form. */
interface QuotaLimit {
  /** Name of the ResourceQuota. */
  readonly quota: string;
  /** The resource, such as `requests.cpu`; empty when the quota refuses the pod for another reason. */
  readonly resource: string;
  /** Number of pods that fit. */
  readonly pods: number;
  /** Message in the words of the API server: `exceeded quota: q, requested: …, used: …, limited: …`. */
  readonly message: string;
}

interface QuotaHeadroom {
  /** Number of pods of the given shape that fit into every quota; Infinity if no quota limits them. */
  readonly pods: number;
  /** The limits that leave the least room, in the order of the quotas; empty if there is no limit. */
  readonly tightest: readonly QuotaLimit[];
}

/**
 * Returns how many pods fit into the room that the ResourceQuotas of their namespace leave: `hard` minus `used` of
 * their status.
 *
 * A quota that the API server has not counted yet does not limit anything. The defaults that a LimitRange adds to a pod
 * when it is created are not considered.
 *
 * Source: apiserver pkg/admission/plugin/resourcequota, CheckRequest.
 */
export function quotaHeadroom(quotas: readonly KubeObject[], pod: KubeObject, now: Date): QuotaHeadroom {
  const usage = podUsage(pod, now);
  const limits = quotas.filter((quota) => isConcerned(quota, pod)).flatMap((q) => limitsOf(q, pod, usage));
  const pods = limits.reduce((least, limit) => Math.min(least, limit.pods), Infinity);
  return { pods, tightest: limits.filter((limit) => limit.pods === pods) };
}

/** Returns whether a quota counts a resource of the pod and all of its scopes include the pod. */
function isConcerned(quota: KubeObject, pod: KubeObject): boolean {
  return (
    [...hardOf(quota).keys()].some(countsPods) &&
    scopeRequirements(quota).every((requirement) => isPodInScope(pod, requirement))
  );
}

function limitsOf(quota: KubeObject, pod: KubeObject, usage: ResourceList): QuotaLimit[] {
  const { name } = quota.metadata;
  const [hard, used] = [hardOf(quota), resourceList(fieldAt(quota, 'status', 'used'))];
  const counted = [...hard.keys()].filter(countsPods).sort();
  const refused = (message: string): QuotaLimit[] => [{ quota: name, resource: '', pods: 0, message }];
  const unstated = unstatedUsage(pod, counted);
  if (unstated !== undefined) return refused(`failed quota: ${name}: ${unstated}`);
  if (!counted.every((resource) => used.has(resource))) {
    return refused(`status unknown for quota: ${name}, resources: ${counted.join(',')}`);
  }
  return counted.flatMap((resource) => {
    const [limit, before, asked] = [hard.get(resource), used.get(resource), usage.get(resource)];
    if (limit === undefined || before === undefined || asked === undefined || asked.isZero) return [];
    const message = `exceeded quota: ${name}, requested: ${resource}=${asked}, used: ${resource}=${before}, limited: ${resource}=${limit}`;
    return [{ quota: name, resource, pods: timesThatFit(asked, limit.subtract(before)), message }];
  });
}

function timesThatFit(asked: Quantity, left: Quantity): number {
  if (asked.nanos < 0n) return 0;
  return left.nanos <= 0n ? 0 : Number(left.nanos / asked.nanos);
}

function hardOf(quota: KubeObject): ResourceList {
  return resourceList(fieldAt(quota, 'status', 'hard'));
}
