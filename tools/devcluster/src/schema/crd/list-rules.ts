import { forbidden, invalid, notSupported, required } from '../field-error.js';
import { child, key } from '../path.js';
import type { Cause, Schema } from '../types.js';

const listTypeKey = 'x-kubernetes-list-type';
const mapTypeKey = 'x-kubernetes-map-type';
const mapKeys = 'x-kubernetes-list-map-keys';

/** Checks list types, map types and map keys of one schema. */
export function checkListAndMapTypes(schema: Schema, path: string): Cause[] {
  return [
    ...checkMapType(schema, path),
    ...checkListType(schema, path),
    ...checkListMap(schema, path),
    ...checkItems(schema, path),
  ];
}

function checkMapType(schema: Schema, path: string): Cause[] {
  const mapType: string | undefined = schema[mapTypeKey];
  if (mapType === undefined) return [];
  const causes = mustHaveType(schema, 'object', mapTypeKey, path);
  if (mapType !== 'atomic' && mapType !== 'granular') {
    causes.push(notSupported(child(path, mapTypeKey), mapType, ['atomic', 'granular']));
  }
  return causes;
}

function mustHaveType(schema: Schema, type: string, because: string, path: string): Cause[] {
  if (schema.type === type) return [];
  const detail = `must be ${type} if ${because} is specified`;
  const field = child(path, 'type');
  return [schema.type === undefined ? required(field, detail) : invalid(field, schema.type, detail)];
}

function checkListType(schema: Schema, path: string): Cause[] {
  const listType: string | undefined = schema[listTypeKey];
  const causes: Cause[] = [];
  if (listType !== undefined) {
    if (schema.type !== 'array') causes.push(...mustHaveType(schema, 'array', listTypeKey, path));
    else if (listType === 'set') causes.push(...checkSetItems(schema.items, child(path, 'items')));
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
      causes.push(notSupported(child(path, listTypeKey), listType, ['atomic', 'set', 'map']));
    }
  }
  if ((schema[mapKeys] ?? []).length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = child(path, listTypeKey);
    causes.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  return causes;
}

function checkSetItems(items: Schema | undefined, path: string): Cause[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (items?.type === 'array' && (items[listTypeKey] ?? 'atomic') !== 'atomic') {
    return [invalid(child(path, listTypeKey), items[listTypeKey], detail)];
  }
  if (items?.type === 'object' && items[mapTypeKey] !== 'atomic') {
    return [invalid(child(path, mapTypeKey), items[listTypeKey] ?? null, detail)];
  }
  return [];
}

function checkListMap(schema: Schema, path: string): Cause[] {
  if (schema[listTypeKey] !== 'map') return [];
  const keys = schema[mapKeys] ?? [];
  const { items } = schema;
  const causes: Cause[] = [];
  const keysField = child(path, mapKeys);
  if (keys.length === 0)
    causes.push(required(keysField, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) {
    causes.push(required(child(path, 'items'), 'must have a schema if x-kubernetes-list-type is map'));
    return causes;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    causes.push(invalid(child(child(path, 'items'), 'type'), items.type ?? '', detail));
    return causes;
  }
  const seen = new Set<string>();
  for (const name of keys) {
    const type = items.properties?.[name]?.type;
    if (items.properties?.[name] === undefined) {
      causes.push(invalid(keysField, keys, 'entries must all be names of item properties'));
    } else if (type === 'array' || type === 'object') {
      const field = child(key(child(child(path, 'items'), 'properties'), name), 'type');
      causes.push(
        invalid(field, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      );
    }
    if (seen.has(name)) causes.push(invalid(keysField, keys, 'must not contain duplicate entries'));
    seen.add(name);
  }
  return causes;
}

/**
 * Checks that items of sets and maps, and the keys of maps, are present: they are not nullable, and keys are required
 * or have a default.
 */
function checkItems(schema: Schema, path: string): Cause[] {
  const listType = schema[listTypeKey];
  const { items } = schema;
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const below = child(path, 'items');
  const causes: Cause[] = [];
  if (items.nullable === true) {
    causes.push(
      forbidden(child(below, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  if (listType !== 'map') return causes;
  for (const name of schema[mapKeys] ?? []) {
    const property = items.properties?.[name];
    if (property === undefined) continue;
    const field = key(child(below, 'properties'), name);
    if (items.required?.includes(name) !== true && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      causes.push(required(child(field, 'default'), detail));
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      causes.push(forbidden(child(field, 'nullable'), detail));
    }
  }
  return causes;
}
