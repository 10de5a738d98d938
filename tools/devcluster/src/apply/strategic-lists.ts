import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { PatchError } from './errors.js';

/**
 * Returns the identity of an item of a merged list: the value of its merge key, or the scalar itself. Throws PatchError
 * 500 for an item without the merge key, unless `required` is false.
 */
export function itemId(item: Json, mergeKey: string | undefined, required = true): string | undefined {
  if (mergeKey === undefined) return JSON.stringify(item);
  const value = isObject(item) ? item[mergeKey] : undefined;
  if (value !== undefined) return JSON.stringify(value);
  if (!required) return undefined;
  const message = `map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`;
  throw new PatchError(500, undefined, message);
}

/** Returns a list of scalars without some of them. */
export function deleteScalars(live: readonly Json[], deleted: readonly Json[]): Json[] {
  return live.filter((item) => !deleted.includes(item));
}

/** Returns the values of both lists of scalars, each value once. */
export function mergeScalars(live: readonly Json[], patch: readonly Json[]): Json[] {
  return orderItems([...new Set([...live, ...patch])], patch, live, undefined);
}

/** Returns a list of objects with the items of a patch merged in by their key. */
export function mergeKeyed(
  live: readonly Json[],
  patch: readonly JsonObject[],
  mergeKey: string,
  mergeItem: (current: JsonObject | undefined, item: JsonObject) => JsonObject,
): Json[] {
  const merged = [...live];
  for (const item of patch) {
    const id = itemId(item, mergeKey);
    const at = merged.findIndex((other) => itemId(other, mergeKey, false) === id);
    const current = merged[at];
    if (isObject(current)) merged[at] = mergeItem(current, item);
    else merged.push(mergeItem(undefined, item));
  }
  return orderItems(merged, patch, live, mergeKey);
}

/**
 * Returns the items in a new order. The items that `order` names are in its order. The others, all from the live list,
 * keep their order there, and each comes before the first ordered item that it preceded in the live list. Source:
 * community design-proposals/cli/preserve-order-in-strategic-merge-patch.md.
 */
export function orderItems(
  items: readonly Json[],
  order: readonly Json[],
  live: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const idOf = (item: Json): string => itemId(item, mergeKey, false) ?? '';
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const place = new Map(live.map((item, index) => [idOf(item), index]));
  const rankOf = (item: Json): number => rank.get(idOf(item)) ?? 0;
  const placeOf = (item: Json): number => place.get(idOf(item)) ?? -1;

  const ordered = items.filter((item) => rank.has(idOf(item))).sort((a, b) => rankOf(a) - rankOf(b));
  const others = items.filter((item) => !rank.has(idOf(item))).sort((a, b) => placeOf(a) - placeOf(b));
  const out: Json[] = [];
  for (const next of ordered) {
    while (others[0] !== undefined && placeOf(others[0]) < placeOf(next)) {
      out.push(...others.splice(0, 1));
    }
    out.push(next);
  }
  return [...out, ...others];
}
