import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { isObject, own } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { PatchError } from './errors.js';

const maxOperations = 10_000;

/**
 * Returns the object after a JSON patch (RFC 6902). Throws PatchError: 400 when the body is not a list of operations,
 * 413 when there are more than 10,000, 422 when one cannot be applied. Source: apiserver endpoints/handlers/patch.go.
 */
export function jsonPatch(live: JsonObject, operations: Json): JsonObject {
  if (!Array.isArray(operations)) throw badPatch(operations, 'Patch');
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${String(maxOperations)}, got ${String(operations.length)}`;
    throw new PatchError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  }
  const wrong = operations.find((operation) => !isObject(operation));
  if (wrong !== undefined) throw badPatch(wrong, 'Operation');
  if (!operations.every(isOperation)) throw unprocessable();
  const patched = applyAll(live, operations);
  if (!isObject(patched)) throw unprocessable();
  return patched;
}

function isOperation(value: Json): value is JsonObject & Operation {
  return isObject(value) && typeof value['op'] === 'string' && typeof value['path'] === 'string';
}

function applyAll(live: JsonObject, operations: Operation[]): unknown {
  try {
    let document: unknown = structuredClone(live);
    for (const operation of operations) {
      const set = asSet(operation, document);
      document = fastJsonPatch.applyOperation<unknown>(document, set, true, true).newDocument;
    }
    return document;
  } catch {
    throw unprocessable();
  }
}

/**
 * Returns an `add` for a `replace` of a member of an object: contrary to RFC 6902, the API server also replaces a
 * member that does not exist. Source: evanphx/json-patch v4, `replace` and `partialDoc.get`.
 */
function asSet(operation: Operation, document: unknown): Operation {
  const { op, path } = operation;
  if (op !== 'replace' || path === '') return operation;
  const parent: unknown = fastJsonPatch.getValueByPointer(document, path.slice(0, path.lastIndexOf('/')));
  return isObject(parent) ? { ...operation, op: 'add' } : operation;
}

function badPatch(value: Json, type: string): PatchError {
  const kind = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value;
  const named = kind === 'boolean' ? 'bool' : kind;
  return new PatchError(
    400,
    'BadRequest',
    `json: cannot unmarshal ${named} into Go value of type jsonpatch.${type}`,
  );
}

/** Returns the error for a well-formed patch that cannot be applied to the object. */
export function unprocessable(): PatchError {
  return new PatchError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** Returns the object after a JSON merge patch (RFC 7386). Throws PatchError 400 when the patch is not an object. */
export function jsonMergePatch(live: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch)) throw new PatchError(400, 'BadRequest', 'Invalid JSON Patch');
  return mergeObject(live, patch);
}

function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const current = own(target, key);
    if (value === null) Reflect.deleteProperty(merged, key);
    else merged[key] = isObject(value) ? mergeObject(isObject(current) ? current : {}, value) : value;
  }
  return merged;
}
