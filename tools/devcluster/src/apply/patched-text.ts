import { isObject, own } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';

/**
 * Returns a patched value as the JSON that the API server quotes. The keys of each object on a path of the patch are
 * sorted; the keys of all other objects keep their order. Source: github.com/evanphx/json-patch, which decodes only what it changes.
 */
export function patchedText(value: Json, patch: Json): string {
  return JSON.stringify(sortPatched(value, Array.isArray(patch) ? pathsOf(patch) : patch));
}

function sortPatched(value: Json, patch: Json): Json {
  if (!isObject(patch)) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => sortPatched(item, own(patch, String(index)) ?? null));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortPatched(one, own(patch, key) ?? null)]));
}

/** Returns the paths of a JSON patch as nested objects. */
function pathsOf(operations: readonly Json[]): JsonObject {
  const root: JsonObject = {};
  for (const operation of operations) {
    const path = isObject(operation) ? String(operation['path']) : '';
    let at = root;
    for (const segment of path.split('/').slice(1, -1)) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = own(at, key);
      at = isObject(next) ? next : (at[key] = {});
    }
  }
  return root;
}
