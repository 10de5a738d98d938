import { objectMetaName } from '../registry/object-meta.js';
import { isObject, own } from './json.js';
import { at, child } from './path.js';
import type { Json, JsonObject, Schema } from './types.js';

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes from `object`, in place, every field that the structural schema does not specify. `apiVersion` and `kind` of the root and of
 * embedded resources stay, as does `metadata` of the root; the metadata of embedded resources keeps the fields of
 * ObjectMeta.
 *
 * @returns the paths of the removed fields, sorted, as the API server names them (`spec.foo`, `spec.items[0].bar`).
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */
export function prune(object: JsonObject, schema: Schema): string[] {
  const removed: string[] = [];
  pruneValue(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', removed);
  return removed.sort();
}

/** Prunes a value that is not a resource root (the default of a field, for example). */
export function pruneField(value: Json, schema: Schema): string[] {
  const removed: string[] = [];
  pruneValue(value, schema, '', removed);
  return removed.sort();
}

function pruneValue(value: Json, schema: Schema | undefined, path: string, removed: string[]): void {
  const preserve = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      pruneItem(item, schema, preserve, at(path, index), removed);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const below = child(path, name);
    if (schema?.['x-kubernetes-embedded-resource'] === true && metaFields.has(name)) {
      if (name === 'metadata' && path !== '') pruneValue(field, objectMetaName, below, removed);
      continue;
    }
    const property = own(schema?.properties, name);
    if (property !== undefined) {
      pruneValue(field, property, below, removed);
    } else if (schema?.additionalProperties !== undefined) {
      const { additionalProperties } = schema;
      pruneValue(
        field,
        typeof additionalProperties === 'object' ? additionalProperties : undefined,
        below,
        removed,
      );
    } else if (!preserve) {
      Reflect.deleteProperty(value, name);
      removed.push(below);
    }
  }
}

function pruneItem(
  item: Json,
  schema: Schema | undefined,
  preserve: boolean,
  path: string,
  removed: string[],
): void {
  if (!preserve) {
    pruneValue(item, schema?.items, path, removed);
  } else if (schema?.items !== undefined) {
    pruneValue(item, { ...schema.items, 'x-kubernetes-preserve-unknown-fields': true }, path, removed);
  }
}
