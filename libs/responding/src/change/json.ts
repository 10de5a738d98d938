import { TypedError } from '@interlock/api';
import fastJsonPatch from 'fast-json-patch';
import { isDeepStrictEqual } from 'node:util';
import { quoted } from '../problem.js';
import type { Json, JsonPatch, PatchOperation } from './operation.js';

export type JsonObject = Record<string, Json>;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the steps of a JSON Pointer (RFC 6901). */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a JSON Pointer for steps. */
export function pointerOf(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the value at a JSON Pointer; undefined when there is none. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(at)) at = /^(0|[1-9][0-9]*)$/.test(step) ? at[Number(step)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

export function equal(a: Json | undefined, b: Json | undefined): boolean {
  return isDeepStrictEqual(a, b);
}

/**
 * Returns the value after one operation of a JSON Patch.
 * @throws TypedError `Invalid` (`PatchFailed`) when it cannot be applied.
 */
export function applyOperation(value: Json, operation: PatchOperation): Json {
  try {
    return fastJsonPatch.applyOperation<Json>(structuredClone(value), operation, true, false).newDocument;
  } catch (error) {
    const message = (error as { message?: string }).message?.split('\n')[0] ?? 'unknown error';
    throw new TypedError(
      'Invalid',
      `${operation.op} of ${quoted(operation.path)} cannot be applied: ${message}`,
      {
        reason: 'PatchFailed',
      },
    );
  }
}

/** Returns the operations that do what a merge patch (RFC 7396) does to a value. */
export function mergeOperations(
  target: Json,
  patch: JsonObject,
  at: readonly string[] = [],
): PatchOperation[] {
  if (!isObject(target)) return [{ op: 'replace', path: pointerOf(at), value: merged(patch) }];
  return Object.entries(patch).flatMap(([key, value]): PatchOperation[] => {
    const steps = [...at, key];
    const path = pointerOf(steps);
    const present = Object.hasOwn(target, key) ? target[key] : undefined;
    if (value === null) return present === undefined ? [] : [{ op: 'remove', path }];
    if (isObject(value))
      return isObject(present)
        ? mergeOperations(present, value, steps)
        : [{ op: 'add', path, value: merged(value) }];
    return equal(present, value) ? [] : [{ op: 'add', path, value }];
  });
}

/** Returns the result of a merge patch on an absent value, without its nulls. */
function merged(patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, isObject(value) ? merged(value) : value]),
  );
}

/**
 * Returns the pending operations of a patch, in an idempotent form: a value to remove may already be absent, and a value to
 * add to a list may already be in it. Tests count only when operations are pending.
 * @throws TypedError `Invalid` (`PatchFailed`) when an operation cannot be applied.
 */
export function pendingOperations(value: Json, operations: JsonPatch): PatchOperation[] {
  const changes = operations.filter(({ op }) => op !== 'test');
  const untested = tryPending(value, changes);
  return untested?.length === 0 ? [] : pending(value, operations);
}

function tryPending(value: Json, operations: JsonPatch): PatchOperation[] | undefined {
  try {
    return pending(value, operations);
  } catch {
    return undefined;
  }
}

function pending(value: Json, operations: JsonPatch): PatchOperation[] {
  const left: PatchOperation[] = [];
  let state = value;
  for (const operation of operations) {
    if (isDone(state, operation)) continue;
    const next = applyOperation(state, operation);
    if (operation.op !== 'test' && !equal(next, state)) left.push(operation);
    state = next;
  }
  return left;
}

function isDone(state: Json, operation: PatchOperation): boolean {
  const { op, path } = operation;
  switch (op) {
    case 'remove':
      return valueAt(state, path) === undefined;
    case 'move':
      return valueAt(state, operation.from) === undefined && valueAt(state, path) !== undefined;
    case 'add':
      return inList(state, path, operation.value);
    case 'copy': {
      const copied = valueAt(state, operation.from);
      return copied !== undefined && inList(state, path, copied);
    }
    case 'replace':
    case 'test':
      return false;
  }
}

/** Returns whether a list has a value where it is to be added; for `-`, anywhere. */
function inList(state: Json, path: string, value: Json): boolean {
  const steps = stepsOf(path);
  const list = valueAt(state, pointerOf(steps.slice(0, -1)));
  if (steps.length === 0 || !Array.isArray(list)) return false;
  const step = steps.at(-1);
  return step === '-' ? list.some((item) => equal(item, value)) : equal(list[Number(step)], value);
}
