import { isObject, jsonEqual, own } from '../schema/json.js';
import type { Json } from '../schema/types.js';
import { FieldSet } from './field-set.js';
import { groupItems } from './list-items.js';
import { fieldElement, type Path, type PathElement } from './path-element.js';
import {
  alternative,
  memberType,
  type Alternative,
  type ListType,
  type MapType,
  type Type,
} from './types.js';

/** The differences between two objects, as disjoint sets of fields. */
export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

type Side = Json | undefined;

/** Compares two objects of a type. Source: structured-merge-diff, typed/compare.go. */
export function compareTyped(before: Json, after: Json, type: Type): Comparison {
  const result = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compare(before, after, type, [], result);
  return result;
}

/** Returns the comparison without some fields and their descendants. */
export function excludeFields({ added, modified, removed }: Comparison, fields: FieldSet): Comparison {
  return {
    added: added.recursiveDifference(fields),
    modified: modified.recursiveDifference(fields),
    removed: removed.recursiveDifference(fields),
  };
}

function compare(before: Side, after: Side, type: Type, path: Path, into: Comparison): void {
  const was = alternative(type, before);
  const is = alternative(type, after);
  let leaf: boolean;
  if (after === undefined) leaf = visit(was, before, after, path, into);
  else if (before === undefined || was.kind === is.kind) leaf = visit(is, before, after, path, into);
  else {
    visit(was, before, after, path, into);
    leaf = visit(is, before, after, path, into);
  }
  if (leaf) return;
  if (before === undefined) into.added.insert(path);
  else if (after === undefined) into.removed.insert(path);
}

/** Compares by one alternative of the type. Returns whether the value was a leaf. */
function visit(as: Alternative, before: Side, after: Side, path: Path, into: Comparison): boolean {
  if (as.kind === 'map') {
    const [was, is] = [before, after].map((side) => (isObject(side) ? side : {}));
    const keys = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
    if (!as.map.atomic && keys.size > 0) {
      compareKeys(as.map, was ?? {}, is ?? {}, keys, path, into);
      return false;
    }
  } else if (as.kind === 'list') {
    const [was, is] = [before, after].map((side) => (Array.isArray(side) ? side : []));
    if (as.list.relationship !== 'atomic' && (was?.length ?? 0) + (is?.length ?? 0) > 0) {
      compareItems(as.list, was ?? [], is ?? [], path, into);
      return false;
    }
  }
  if (before === undefined) into.added.insert(path);
  else if (after === undefined) into.removed.insert(path);
  else if (!jsonEqual(before, after)) into.modified.insert(path);
  return true;
}

function compareKeys(
  map: MapType,
  was: Record<string, Json>,
  is: Record<string, Json>,
  keys: Iterable<string>,
  path: Path,
  into: Comparison,
): void {
  for (const key of keys) {
    const before = own(was, key);
    const after = own(is, key);
    compare(before, after, memberType(map, key), [...path, fieldElement(key)], into);
  }
}

function compareItems(list: ListType, was: Json[], is: Json[], path: Path, into: Comparison): void {
  const before = groupItems(list, was);
  const after = groupItems(list, is);
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    compareGroup(list, element, before.get(element) ?? [], after.get(element) ?? [], path, into);
  }
}

/**
 * Compares the items of a list that have the same key: several items as one value, and single items by their content.
 */
function compareGroup(
  list: ListType,
  element: PathElement,
  was: Json[],
  is: Json[],
  path: Path,
  into: Comparison,
): void {
  const at = [...path, element];
  if (was.length > 1 && is.length > 1) {
    if (!jsonEqual(was, is)) into.modified.insert(at);
    return;
  }
  const single = (items: Json[]): Side => (items.length === 1 ? items[0] : undefined);
  const [before, after] = [single(was), single(is)];
  if (before !== undefined || after !== undefined) compare(before, after, list.element(), at, into);
  if (was.length > 1) into.removed.insert(at);
  if (is.length > 1) into.added.insert(at);
}
