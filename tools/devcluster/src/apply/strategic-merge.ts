import { isObject, own } from '../schema/json.js';
import type { Json, JsonObject, Schema } from '../schema/types.js';
import { PatchError } from './errors.js';
import { unprocessable } from './json-patch.js';
import { deleteScalars, mergeKeyed, mergeScalars, orderItems, itemId } from './strategic-lists.js';
import { objectMetaName } from './types.js';

const patchDirective = '$patch';
const retainKeysDirective = '$retainKeys';
const deleteFrom = '$deleteFromPrimitiveList/';
const setOrder = '$setElementOrder/';

/**
 * Returns the object after a strategic merge patch: lists merge by the patch strategy and merge key of the schema, null
 * deletes, and the directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…` and `$setElementOrder/…` work.
 * Throws PatchError 400, 422 or 500 as the API server does. Source: apimachinery pkg/util/strategicpatch.
 */
export function strategicMerge(live: JsonObject, patch: Json, schema: Schema | undefined): JsonObject {
  if (!isObject(patch)) throw new PatchError(400, 'BadRequest', 'invalid JSON document');
  return mergeObject(live, patch, {
    ...schema,
    properties: { ...schema?.properties, metadata: objectMetaName },
  });
}

function mergeObject(live: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const { [patchDirective]: directive, [retainKeysDirective]: retained, ...changes } = patch;
  if (directive === 'replace') return plain(changes);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);
  const merged: JsonObject = retained === undefined ? { ...live } : retainKeys(live, changes, retained);
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith(setOrder)) continue;
    const name = key.startsWith(deleteFrom) ? key.slice(deleteFrom.length) : key;
    const next = mergeField(own(merged, name), value, fieldOf(schema, name), key !== name);
    if (next === undefined) Reflect.deleteProperty(merged, name);
    else merged[name] = next;
  }
  applyOrders(live, merged, changes, schema);
  return merged;
}

function mergeField(
  live: Json | undefined,
  value: Json,
  schema: Schema | undefined,
  deletes: boolean,
): Json | undefined {
  if (value === null) return undefined;
  if (live === undefined) return deletes ? undefined : plainValue(value);
  if (isObject(live) && isObject(value)) {
    return strategiesOf(schema).includes('replace') ? plain(value) : mergeObject(live, value, schema);
  }
  if (Array.isArray(live) && Array.isArray(value)) return mergeList(live, value, schema, deletes);
  return deletes ? live : plainValue(value);
}

function mergeList(live: Json[], patch: Json[], schema: Schema | undefined, deletes: boolean): Json[] {
  if (deletes) return deleteScalars(live, patch);
  if (!strategiesOf(schema).includes('merge')) return patch.map(plainValue);
  if (![...live, ...patch].some(isObject)) return mergeScalars(live, patch);
  const mergeKey = schema?.['x-kubernetes-patch-merge-key'];
  if (mergeKey === undefined) {
    throw new PatchError(500, undefined, 'cannot merge lists without merge key for type map');
  }
  const { kept, items } = splitDirectives(live, patch, mergeKey);
  return mergeKeyed(kept, items, mergeKey, (current, item) =>
    current === undefined ? plain(item) : mergeObject(current, item, schema?.items),
  );
}

/** Handles the `$patch` items of a list. Returns the remaining live list, and the ordinary items of the patch. */
function splitDirectives(
  live: Json[],
  patch: Json[],
  mergeKey: string,
): { kept: Json[]; items: JsonObject[] } {
  const items: JsonObject[] = [];
  let kept = live;
  let replaces = false;
  for (const item of patch) {
    if (!isObject(item)) throw unprocessable();
    const directive = item[patchDirective];
    if (directive === 'replace') replaces = true;
    else if (directive === 'delete') {
      const id = itemId(item, mergeKey);
      kept = kept.filter((other) => itemId(other, mergeKey, false) !== id);
    } else if (directive === undefined) items.push(item);
    else throw unknownDirective(directive, item);
  }
  return { kept: replaces ? [] : kept, items };
}

function retainKeys(live: JsonObject, changes: JsonObject, retained: Json): JsonObject {
  if (!Array.isArray(retained)) throw unprocessable();
  const keys = new Set(retained);
  const stated = Object.entries(changes).filter(([key, value]) => value !== null && !key.startsWith('$'));
  if (stated.some(([key]) => !keys.has(key))) throw unprocessable();
  return Object.fromEntries(Object.entries(live).filter(([key]) => keys.has(key)));
}

/** Puts lists into the order that `$setElementOrder/<field>` states. */
function applyOrders(
  live: JsonObject,
  merged: JsonObject,
  changes: JsonObject,
  schema: Schema | undefined,
): void {
  for (const [key, order] of Object.entries(changes)) {
    if (!key.startsWith(setOrder)) continue;
    const name = key.slice(setOrder.length);
    const [list, before, patch] = [merged, live, changes].map((object) => own(object, name));
    if (!Array.isArray(order)) throw unprocessable();
    if (!Array.isArray(list)) continue;
    const mergeKey = order.some(isObject)
      ? fieldOf(schema, name)?.['x-kubernetes-patch-merge-key']
      : undefined;
    checkOrder(Array.isArray(patch) ? patch : [], order, mergeKey);
    merged[name] = orderItems(list, order, Array.isArray(before) ? before : [], mergeKey);
  }
}

/** Checks that the items of a patch are in the stated order. */
function checkOrder(patch: Json[], order: Json[], mergeKey: string | undefined): void {
  const wanted = order.map((item) => itemId(item, mergeKey));
  const stated = patch.filter((item) => !isObject(item) || item[patchDirective] === undefined);
  let from = 0;
  for (const item of stated) {
    from = wanted.indexOf(itemId(item, mergeKey), from) + 1;
    if (from > 0) continue;
    const message = `The order in patch list:\n${JSON.stringify(patch)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`;
    throw new PatchError(500, undefined, message);
  }
}

/** Returns the patch as a value: without directives and deletions. */
function plain(patch: JsonObject): JsonObject {
  const entries = Object.entries(patch).filter(([key, value]) => value !== null && !key.startsWith('$'));
  return Object.fromEntries(entries.map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: Json): Json {
  if (Array.isArray(value)) {
    return value.filter((item) => !isObject(item) || item[patchDirective] === undefined).map(plainValue);
  }
  return isObject(value) ? plain(value) : value;
}

function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  const others = schema?.additionalProperties;
  return own(schema?.properties, name) ?? (typeof others === 'object' ? others : undefined);
}

function strategiesOf(schema: Schema | undefined): string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? [];
}

function unknownDirective(directive: Json, patch: JsonObject): PatchError {
  return new PatchError(
    500,
    undefined,
    `unknown patch type: ${String(directive)} in map: ${JSON.stringify(patch)}`,
  );
}
