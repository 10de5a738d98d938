import { cloneJson, isObject, own } from './json.js';
import type { Json, JsonObject, Schema } from './types.js';

/**
 * Applies the defaults of a structural schema to `object`, in place. A null in a field that is not nullable counts as absent: it takes the
 * default, or is removed when there is none. Defaults descend into objects and items that exist (or that a default has just created).
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
 */
export function applyDefaults(object: JsonObject, schema: Schema): void {
  dropNulls(object, schema);
  setDefaults(object, schema);
}

function dropNulls(value: Json, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const property = fieldSchema(schema, name);
    if (isNonNullableNull(field, property) && property?.default === undefined) {
      Reflect.deleteProperty(value, name);
    } else {
      dropNulls(field, property);
    }
  }
}

function setDefaults(value: Json, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (isNonNullableNull(item, schema.items)) value[index] = defaultOf(schema.items) ?? null;
      setDefaults(value[index] ?? null, schema.items);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const preset = defaultOf(property);
    if (preset === undefined) continue;
    const present = own(value, name);
    if (present === undefined || isNonNullableNull(present, property)) value[name] = preset;
  }
  for (const [name, field] of Object.entries(value)) {
    const property = fieldSchema(schema, name);
    if (isNonNullableNull(field, property)) value[name] = defaultOf(property) ?? null;
    setDefaults(value[name] ?? null, property);
  }
}

function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const property = own(schema.properties, name);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function isNonNullableNull(value: Json, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

function defaultOf(schema: Schema | undefined): Json | undefined {
  const preset = schema?.default;
  return preset === undefined || preset === null ? undefined : cloneJson(preset as Json);
}
