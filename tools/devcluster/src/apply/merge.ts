import { isObject, own } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { objectOf } from './json.js';
import { groupItems, itemElement } from './list-items.js';
import type { PathElement } from './path-element.js';
import {
  alternative,
  memberType,
  type Alternative,
  type ListType,
  type MapType,
  type Type,
} from './types.js';

type Side = Json | undefined;

/**
 * Returns the live object merged with the applied configuration: leaves of `applied` take precedence, nothing is
 * removed, items of lists that are owned by item take the order of `applied`. Source: structured-merge-diff,
 * typed/merge.go.
 */
export function mergeTyped(live: JsonObject, applied: JsonObject, type: Type): JsonObject {
  const merged = merge(live, applied, type);
  return isObject(merged) ? merged : {};
}

function merge(live: Side, applied: Side, type: Type): Side {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const is = alternative(type, applied);
  return mergeAs(is, live, applied);
}

function mergeAs(as: Alternative, live: Json, applied: Json): Side {
  if (as.kind === 'map' && !as.map.atomic) {
    const [was, is] = [objectOf(live), objectOf(applied)];
    if (Object.keys(was).length + Object.keys(is).length > 0) return mergeMaps(as.map, was, is);
  }
  if (as.kind === 'list' && as.list.relationship !== 'atomic') {
    const [was, is] = [listOrEmpty(live), listOrEmpty(applied)];
    if (was.length + is.length > 0) return mergeLists(as.list, was, is);
  }
  return applied;
}

function mergeMaps(map: MapType, live: JsonObject, applied: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const merged = merge(own(live, key), own(applied, key), memberType(map, key));
    if (merged !== undefined) out[key] = merged;
  }
  return out;
}

/**
 * Items of both lists have the order of `applied`. An item that is only in the live list stays before the shared item
 * that followed it. Duplicate live items are replaced instead of merged.
 */
function mergeLists(list: ListType, live: Json[], applied: Json[]): Json[] {
  const liveGroups = groupItems(list, live);
  const appliedItems = new Map([...groupItems(list, applied)].map(([element, [item]]) => [element, item]));
  const shared = [...appliedItems.keys()].filter((element) => liveGroups.has(element));
  const out: Json[] = [];
  const done = new Set<PathElement>();
  const takeApplied = (element: PathElement): void => {
    const group = liveGroups.get(element);
    const merged = merge(
      group?.length === 1 ? group[0] : undefined,
      appliedItems.get(element),
      list.element(),
    );
    if (merged !== undefined) out.push(merged);
    done.add(element);
    if (shared[0] === element) shared.shift();
  };
  const pending = [...appliedItems.keys()];
  for (const item of live) {
    const found = itemElement(list, item);
    const element = 'element' in found ? found.element : undefined;
    if (element === undefined || !appliedItems.has(element)) out.push(item);
    else if (!done.has(element) && element === shared[0]) {
      while (!done.has(element)) takeApplied(pending.shift() ?? element);
    }
  }
  pending.forEach(takeApplied);
  return out;
}

function listOrEmpty(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}
