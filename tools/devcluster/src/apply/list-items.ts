import { goQuote, isObject } from '../schema/json.js';
import type { Json } from '../schema/types.js';
import { keyElement, valueElement, type PathElement } from './path-element.js';
import type { ListType } from './types.js';

/**
 * Returns the path element of an item of a list of type set or map; keys that the item omits take their default.
 * Returns `{error}` for an item that cannot be addressed (wording: structured-merge-diff, typed/helpers.go).
 */
export function itemElement(list: ListType, item: Json): { element: PathElement } | { error: string } {
  if (list.relationship === 'map') return keyedElement(list, item);
  if (item === null) return { error: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { error: 'not supported: associative list with lists as elements' };
  if (isObject(item)) return { error: "associative list without keys has an element that's a map type" };
  return { element: valueElement(item) };
}

function keyedElement(list: ListType, item: Json): { element: PathElement } | { error: string } {
  if (item === null) return { error: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { error: 'associative list with keys may not have non-map elements' };
  const keys: [string, Json][] = [];
  for (const key of list.keys) {
    const value = item[key] ?? list.keyDefault(key);
    if (value === undefined) {
      return {
        error: `associative list with keys has an element that omits key field ${goQuote(key)} (and doesn't have default value)`,
      };
    }
    keys.push([key, value]);
  }
  return { element: keyElement(keys) };
}

/** Returns the addressable items of a list by path element; items with the same element are in the order of the list. */
export function groupItems(list: ListType, items: readonly Json[]): Map<PathElement, Json[]> {
  const groups = new Map<PathElement, Json[]>();
  for (const item of items) {
    const found = itemElement(list, item);
    if ('error' in found) continue;
    const group = groups.get(found.element);
    if (group) group.push(item);
    else groups.set(found.element, [item]);
  }
  return groups;
}
