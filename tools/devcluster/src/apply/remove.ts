import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import type { FieldSet } from './field-set.js';
import { itemElement } from './list-items.js';
import { fieldElement, fieldName, type Path } from './path-element.js';
import { alternative, memberType, type ListType, type MapType, type Type } from './types.js';

/** Returns the object without the fields and items of `fields`, and without values that become empty. */
export function removeFields(object: JsonObject, fields: FieldSet, type: Type): JsonObject {
  const left = fields.isEmpty() ? object : remove(object, fields, type);
  return isObject(left) ? left : {};
}

function remove(value: Json, fields: FieldSet, type: Type): Json | undefined {
  const found = alternative(type, value);
  if (found.kind === 'map' && isObject(value) && !found.map.atomic)
    return removeKeys(value, fields, found.map);
  if (found.kind === 'list' && Array.isArray(value) && found.list.relationship !== 'atomic') {
    return removeItems(value, fields, found.list);
  }
  return value;
}

function removeKeys(value: JsonObject, fields: FieldSet, map: MapType): JsonObject | undefined {
  const out: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    const element = fieldElement(key);
    if (fields.has([element])) continue;
    const below = fields.below(element);
    const left = below.isEmpty() ? child : remove(child, below, memberType(map, key));
    if (left !== undefined) out[key] = left;
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

function removeItems(items: Json[], fields: FieldSet, list: ListType): Json[] | undefined {
  const out = items.flatMap((item) => {
    const found = itemElement(list, item);
    if ('error' in found) return [item];
    if (fields.has([found.element])) return [];
    const left = remove(item, fields.below(found.element), list.element());
    return left === undefined ? [] : [left];
  });
  return out.length === 0 ? undefined : out;
}

/**
 * Returns the set with all parents that are fields of the schema as members: a manager of `spec.size` also owns `spec`,
 * so that the parent is removed with its last owned field. Keys of maps are only members if they are owned.
 */
export function withNamedParents(fields: FieldSet, type: Type): FieldSet {
  return fields.withInnerMembers((parent, element) => {
    const name = fieldName(element);
    const container = name === undefined ? undefined : typeAt(type, parent);
    return name !== undefined && container?.map?.field(name) !== undefined;
  });
}

function typeAt(type: Type, path: Path): Type | undefined {
  let at: Type | undefined = type;
  for (const element of path) {
    const name = fieldName(element);
    at = name === undefined ? at?.list?.element() : at?.map && memberType(at.map, name);
  }
  return at;
}
