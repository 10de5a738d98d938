import type { Json, JsonObject } from '../schema/types.js';

/** Whether a value is a JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Deep equality of JSON values; the order of an object's keys does not count. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  );
}

/** The object with other values for some metadata fields; undefined removes one. */
export function withMetadata(object: JsonObject, change: Record<string, Json | undefined>): JsonObject {
  const metadata: JsonObject = { ...objectOf(object['metadata']) };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) Reflect.deleteProperty(metadata, key);
    else metadata[key] = value;
  }
  return { ...object, metadata };
}
