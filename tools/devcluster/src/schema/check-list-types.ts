import { duplicate, invalid } from './field-error.js';
import { goJson, isObject, own } from './json.js';
import { at, child, key } from './path.js';
import type { Cause, Json, JsonObject, Schema } from './types.js';

/** Returns the duplicates in lists of type `set` and `map`, at every level. */
export function checkListTypes(object: JsonObject, schema: Schema, path = ''): Cause[] {
  const { additionalProperties, properties } = schema;
  const causes: Cause[] = [];
  for (const [name, value] of Object.entries(object)) {
    const property = own(properties, name);
    if (property !== undefined) {
      causes.push(...checkField(value, property, child(path, name)));
    } else if (typeof additionalProperties === 'object') {
      causes.push(...checkField(value, additionalProperties, key(path, name)));
    }
  }
  return causes;
}

/** Returns the duplicates in one field. */
export function checkField(value: Json, schema: Schema, path: string): Cause[] {
  if (isObject(value)) return checkListTypes(value, schema, path);
  if (!Array.isArray(value)) return [];
  const causes: Cause[] = [];
  if (schema['x-kubernetes-list-type'] === 'set') {
    for (const index of repeated(value)) causes.push(duplicate(at(path, index), value[index]));
  } else if (schema['x-kubernetes-list-type'] === 'map') {
    causes.push(...checkMapKeys(value, schema['x-kubernetes-list-map-keys'] ?? [], path));
  }
  const { items } = schema;
  if (items !== undefined) {
    value.forEach((item, index) => causes.push(...checkField(item, items, at(path, index))));
  }
  return causes;
}

function checkMapKeys(items: readonly Json[], names: readonly string[], path: string): Cause[] {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    return [invalid(at(path, stray), items[stray], 'must be an object for an array of list-type map')];
  }
  const keys = items.map((item) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = isObject(item) ? own(item, name) : undefined;
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  );
  return repeated(keys).map((index) => duplicate(at(path, index), keys[index]));
}

/** Returns the index of the first repetition of each value. */
function repeated(values: readonly Json[]): number[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = goJson(value);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    return count === 2 ? [index] : [];
  });
}
