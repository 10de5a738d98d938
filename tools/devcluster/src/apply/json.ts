import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';

/** Returns the value as an object; an empty one when it is anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the object with replaced metadata fields; undefined removes a field. */
export function withMetadata(object: JsonObject, change: Record<string, Json | undefined>): JsonObject {
  const metadata: JsonObject = { ...objectOf(object['metadata']) };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) Reflect.deleteProperty(metadata, key);
    else metadata[key] = value;
  }
  return { ...object, metadata };
}
