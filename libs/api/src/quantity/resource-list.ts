import { fieldAt, keysAt } from './fields.js';
import { quantityOf, type Quantity } from './quantity.js';

/** Quantities by the name of a resource (`v1.ResourceList`). */
export type ResourceList = ReadonlyMap<string, Quantity>;

/** Returns the quantities of a map in an API object. Values that are not quantities are omitted. */
export function resourceList(amounts: unknown): ResourceList {
  const list = new Map<string, Quantity>();
  for (const name of keysAt(amounts)) {
    const quantity = quantityOf(fieldAt(amounts, name));
    if (quantity !== undefined) list.set(name, quantity);
  }
  return list;
}

/** Returns the sum for each resource in either list. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return merged(a, b, (before, more) => before.add(more));
}

/** Returns the sum for each resource in any of the lists. */
export function sumOfLists(lists: readonly ResourceList[]): ResourceList {
  const sum = new Map<string, Quantity>();
  for (const list of lists) {
    for (const [name, quantity] of list) sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  }
  return sum;
}

/** Returns the larger quantity for each resource in either list. */
export function maxOfLists(a: ResourceList, b: ResourceList): ResourceList {
  return merged(a, b, (before, other) => (other.compareTo(before) > 0n ? other : before));
}

/** Returns the quantities whose names match the predicate. */
export function filterList(
  list: ResourceList,
  passes: (name: string, quantity: Quantity) => boolean,
): ResourceList {
  return new Map([...list].filter(([name, quantity]) => passes(name, quantity)));
}

/** Returns whether two lists have the same quantities, regardless of how they are written. */
export function listsEqual(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, quantity]) => b.get(name)?.compareTo(quantity) === 0n);
}

/** Returns the list as a map for an API object. */
export function listToJson(list: ResourceList): Record<string, string> {
  return Object.fromEntries(sortedEntries(list).map(([name, quantity]) => [name, quantity.toString()]));
}

/** Returns the list as text, such as `cpu=500m,memory=1Gi`. */
export function listToText(list: ResourceList): string {
  return sortedEntries(list)
    .map(([name, quantity]) => `${name}=${quantity.toString()}`)
    .join(',');
}

function sortedEntries(list: ResourceList): [string, Quantity][] {
  return [...list].sort(([a], [b]) => (a < b ? -1 : 1));
}

function merged(
  a: ResourceList,
  b: ResourceList,
  merge: (before: Quantity, other: Quantity) => Quantity,
): ResourceList {
  const list = new Map(a);
  for (const [name, quantity] of b) {
    const before = list.get(name);
    list.set(name, before === undefined ? quantity : merge(before, quantity));
  }
  return list;
}
