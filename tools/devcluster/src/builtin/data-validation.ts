import { objectAt, type KubeObject } from '../object.js';
import { forbidden, invalid } from '../schema/field-error.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';

/** Maximum size of the data of a ConfigMap or a Secret. */
export const maxDataBytes = 1024 * 1024;
const dataKey = /^[-._a-zA-Z0-9]+$/;

/** Returns the problems with the keys of a map. */
export function checkDataKeys(object: KubeObject, field: string): Cause[] {
  return Object.keys(objectAt(object, field)).flatMap((key) => {
    if (key.length > 253) return [invalid(`${field}[${key}]`, key, 'must be no more than 253 bytes')];
    if (dataKey.test(key) && !/^\.\.?$|^\.\./.test(key)) return [];
    return [
      invalid(
        `${field}[${key}]`,
        key,
        `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ),
    ];
  });
}

/** Returns the size of all values of a map in bytes, after decoding base64. */
export function dataSize(object: KubeObject, field: string, encoding: 'utf8' | 'base64'): number {
  const values = Object.values(objectAt(object, field)).map(String);
  return values.reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

/** Checks that neither the data nor the field `immutable` of an immutable object changes. */
export function checkImmutable(object: KubeObject, old: KubeObject, fields: readonly string[]): Cause[] {
  if (old['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const causes = object['immutable'] === true ? [] : [forbidden('immutable', why)];
  const changed = fields.filter((field) => !jsonEqual(objectAt(object, field), objectAt(old, field)));
  return [...causes, ...changed.map((field) => forbidden(field, why))];
}

/** Returns the number of keys of a map. */
export function countKeys(o: KubeObject, field: string): number {
  return Object.keys(objectAt(o, field)).length;
}
