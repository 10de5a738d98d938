import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { FieldSet } from './field-set.js';
import { groupItems } from './list-items.js';
import { fieldElement, type Path } from './path-element.js';
import { alternative, memberType, type ListType, type MapType, type Type } from './types.js';

/**
 * Returns the fields that an object states: every leaf, every item of a list that is owned item by item, every key of a
 * map that the schema does not name. Source: structured-merge-diff, typed/tofieldset.go.
 */
export function toFieldSet(value: Json, type: Type): FieldSet {
  const set = new FieldSet();
  collect(value, type, [], set);
  return set;
}

function collect(value: Json, type: Type, path: Path, into: FieldSet): void {
  const found = alternative(type, value);
  if (found.kind === 'scalar') into.insert(path);
  else if (found.kind === 'map') collectMap(value, found.map, path, into);
  else collectList(value, found.list, path, into);
}

function collectMap(value: Json, map: MapType, path: Path, into: FieldSet): void {
  if (map.atomic) into.insert(path);
  else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const at = [...path, fieldElement(key)];
      collect(child, memberType(map, key), at, into);
      if (isEmptyOrNull(child) || map.field(key) === undefined) into.insert(at);
    }
  }
}

function collectList(value: Json, list: ListType, path: Path, into: FieldSet): void {
  if (list.relationship === 'atomic') into.insert(path);
  else if (Array.isArray(value)) {
    for (const [element, [first, ...duplicates]] of groupItems(list, value)) {
      const at = [...path, element];
      if (first !== undefined && duplicates.length === 0) collect(first, list.element(), at, into);
      into.insert(at);
    }
  }
}

function isEmptyOrNull(value: Json): value is null | JsonObject {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
