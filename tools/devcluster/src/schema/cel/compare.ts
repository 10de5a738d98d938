import { Optional } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { isObject } from '../json.js';
import { Struct } from './types.js';
import { equalBySchema } from './values.js';

/** Reports whether two values of an expression are equal; numbers of different types are equal when they are the same number. */
export function equalValues(a: unknown, b: unknown): boolean {
  const [left, right] = [plain(a), plain(b)];
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return left >= right && left <= right;
  if (left instanceof Struct && right instanceof Struct) {
    return equalBySchema(left.source, right.source, left.schema);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equalValues(item, right[index]));
  }
  if (left instanceof Map && right instanceof Map) {
    return left.size === right.size && [...left].every(([key, item]) => equalValues(item, right.get(key)));
  }
  if (left instanceof Optional && right instanceof Optional) {
    return (
      left.hasValue() === right.hasValue() && (!left.hasValue() || equalValues(left.value(), right.value()))
    );
  }
  return sameKind(left, right) && compareValues(left, right) === 0;
}

/** Compares two values of one ordered type: negative when the first is less, positive when it is greater. */
export function compareValues(a: unknown, b: unknown): number {
  const [left, right] = [plain(a), plain(b)];
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  const [first, second] = isNumber(left) && isNumber(right) ? [left, right] : [Number(left), Number(right)];
  return first < second ? -1 : Number(first > second);
}

function plain(value: unknown): unknown {
  if (value instanceof UnsignedInt) return value.valueOf();
  return isPlainObject(value) ? new Map(Object.entries(value)) : value;
}

/** Returns whether a value is a plain object, as map literals are. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value.constructor.name === 'Object';
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/**
 * Returns whether two values are objects of the same class, such as bytes, times or durations, which are compared by
 * content.
 */
function sameKind(a: unknown, b: unknown): boolean {
  return a instanceof Object && b instanceof Object && a.constructor === b.constructor && 'valueOf' in a;
}
