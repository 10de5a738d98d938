import type { JsonObject, Schema } from '../schema/types.js';

/**
 * Returns a new object of a built-in kind before any field is set. A create is compared with it, so that structs that
 * always exist (`spec`, `strategy`) are not owned themselves. A struct that always exists has `default: {}` in the
 * published OpenAPI; a required list exists as null.
 */
export function zeroObject(schema: Schema): JsonObject {
  const out: JsonObject = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isEmptyObject(property.default)) out[name] = zeroObject(property);
    else if (property.type === 'array' && schema.required?.includes(name) === true) out[name] = null;
  }
  return out;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.keys(value).length === 0 && !Array.isArray(value)
  );
}
