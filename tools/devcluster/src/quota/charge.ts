import {
  addLists,
  filterList,
  listToText,
  Quantity,
  type ResourceList,
  resourceList,
  scopeRequirements,
} from '@interlock/api/quantities';
import { valueAt, type KubeObject } from '../object.js';
import type { Evaluator } from './evaluator.js';

/** A write whose object may count against quotas. */
interface ChargedWrite {
  object: KubeObject;
  /** The stored object; undefined for a create. */
  old: KubeObject | undefined;
  now: Date;
}

/** The effect of a write on quotas: the reason of a refusal, or the new usage of each changed quota. */
export type ChargeResult = { refused: string } | { charges: { quota: KubeObject; used: ResourceList }[] };

const zero = Quantity.of(0);

/**
 * Charges a write to the quotas of its namespace: to all of them or, when one refuses, to none. The limits in their
 * status apply, so a new quota has no effect until its controller has written the status.
 * Source: apiserver pkg/admission/plugin/resourcequota, CheckRequest.
 */
export function chargeQuotas(
  quotas: readonly KubeObject[],
  evaluator: Evaluator,
  { object, old, now }: ChargedWrite,
): ChargeResult {
  const concerned = quotas.filter((quota) => isCounted(quota, evaluator, object));
  for (const quota of concerned) {
    const problem = problemOf(quota, evaluator, object);
    if (problem !== undefined) return { refused: problem };
  }
  const usage = evaluator.usage(object, now);
  const negative = [...filterList(usage, (_, quantity) => quantity.compareTo(zero) < 0n).keys()].sort();
  if (negative.length > 0) {
    return { refused: `quota usage is negative for resource(s): ${negative.join(',')}` };
  }
  const charges: { quota: KubeObject; used: ResourceList }[] = [];
  for (const quota of concerned) {
    const isChange = old !== undefined && isCounted(quota, evaluator, old);
    const requested = isChange ? increase(usage, evaluator.usage(old, now)) : usage;
    const result = charge(
      quota,
      filterList(requested, (_, quantity) => !quantity.isZero),
    );
    if (typeof result === 'string') return { refused: result };
    if (result !== undefined) charges.push({ quota, used: result });
  }
  return { charges };
}

/**
 * Returns whether an object counts against a quota: the quota has a limit that concerns the resource of the object, and
 * the object is in all scopes of the quota.
 */
function isCounted(quota: KubeObject, evaluator: Evaluator, object: KubeObject): boolean {
  return (
    [...hardOf(quota).keys()].some(evaluator.counts) &&
    scopeRequirements(quota).every((requirement) => evaluator.isInScope(object, requirement))
  );
}

function hardOf(quota: KubeObject): ResourceList {
  return resourceList(valueAt(quota, 'status', 'hard'));
}

function usedOf(quota: KubeObject): ResourceList {
  return resourceList(valueAt(quota, 'status', 'used'));
}

function problemOf(quota: KubeObject, evaluator: Evaluator, object: KubeObject): string | undefined {
  const { name } = quota.metadata;
  const limited = [...hardOf(quota).keys()].filter(evaluator.counts).sort();
  const missing = evaluator.missing?.(object, limited);
  if (missing !== undefined) return `failed quota: ${name}: ${missing}`;
  const used = usedOf(quota);
  if (limited.every((resource) => used.has(resource))) return undefined;
  return `status unknown for quota: ${name}, resources: ${limited.join(',')}`;
}

/** Returns the new usage, undefined when nothing changes, or the text of the refusal. */
function charge(quota: KubeObject, usage: ResourceList): ResourceList | string | undefined {
  const [hard, used] = [hardOf(quota), usedOf(quota)];
  const requested = filterList(usage, (name) => hard.has(name));
  if (requested.size === 0) return undefined;
  const then = addLists(used, requested);
  const isExceeded = (name: string): boolean => {
    const limit = hard.get(name);
    return requested.has(name) && limit !== undefined && (then.get(name) ?? zero).compareTo(limit) > 0n;
  };
  if (![...hard.keys()].some(isExceeded)) return then;
  const [asked, before, limits] = [requested, used, hard].map((list) =>
    listToText(filterList(list, isExceeded)),
  );
  return `exceeded quota: ${quota.metadata.name}, requested: ${asked ?? ''}, used: ${before ?? ''}, limited: ${limits ?? ''}`;
}

/** Returns the increase of the usage. A decrease counts as zero, because the controller credits it. */
function increase(usage: ResourceList, before: ResourceList): ResourceList {
  return new Map(
    [...usage].map(([name, quantity]) => {
      const more = quantity.subtract(before.get(name) ?? zero);
      return [name, more.compareTo(zero) > 0n ? more : zero];
    }),
  );
}
