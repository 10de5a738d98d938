import { Duration } from '@marcbachmann/cel-js/evaluator';
import type { CelTypes } from './types.js';
import { goJson, isObject, own } from '../json.js';
import { parseGoDuration } from '../go-duration.js';
import type { Json, Schema } from '../types.js';

/**
 * Converts JSON values to the values of rules, typed by the schema: integers become int64, `format: date-time` becomes
 * a timestamp, `format: duration` becomes a duration, and objects become structs with the fields of the schema.
 *
 * Lists of type `set` and `map` with the same items are the same value whatever the order, so that comparing `self`
 * with `oldSelf` ignores the order; use one converter for all values of one evaluation. Fields that are null count as
 * absent.
 */
export class ValueConverter {
  readonly #lists = new Map<Schema, Map<string, unknown[]>>();

  constructor(readonly types: CelTypes) {}

  convert(value: Json, schema: Schema): unknown {
    if (Array.isArray(value)) return this.#list(value, schema);
    if (isObject(value)) return this.#object(value, schema);
    if (typeof value === 'number') {
      return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
    }
    return typeof value === 'string' ? convertString(value, schema) : value;
  }

  #list(items: readonly Json[], schema: Schema): unknown[] {
    const make = (): unknown[] => listOf(items, (item) => this.convert(item, schema.items ?? {}));
    if (!isUnordered(schema)) return make();
    const known = this.#lists.get(schema) ?? new Map<string, unknown[]>();
    this.#lists.set(schema, known);
    const key = canonicalList(items);
    const list = known.get(key) ?? make();
    known.set(key, list);
    return list;
  }

  #object(value: Record<string, Json>, schema: Schema): unknown {
    const { additionalProperties } = schema;
    if (typeof additionalProperties === 'object') {
      return new Map(
        Object.entries(value).map(([name, item]) => [name, this.convert(item, additionalProperties)]),
      );
    }
    const struct = this.types.structOf(schema);
    if (struct === undefined) return dynamicValue(value);
    const fields: [string, unknown][] = [];
    for (const [escaped, field] of struct.fields) {
      const item = own(value, field.property);
      if (item !== undefined && item !== null) fields.push([escaped, this.convert(item, field.schema)]);
    }
    return new struct.construct(fields, value, schema);
  }
}

/** Returns a JSON value for an expression without a schema: whole numbers are integers, and objects are maps. */
export function dynamicValue(value: Json): unknown {
  if (Array.isArray(value)) return listOf(value, dynamicValue);
  if (isObject(value))
    return new Map(Object.entries(value).map(([name, item]) => [name, dynamicValue(item)]));
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/* The engine recognizes lists by their constructor, and an array may come from another realm. */
function listOf(items: readonly Json[], convert: (item: Json) => unknown): unknown[] {
  return Array.from(items, convert);
}

function convertString(text: string, schema: Schema): unknown {
  switch (schema.type === 'string' ? schema.format : undefined) {
    case 'byte':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'date':
    case 'date-time':
      return new Date(text);
    case 'duration': {
      const nanoseconds = parseGoDuration(text) ?? 0n;
      return new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n));
    }
    default:
      return text;
  }
}

function isUnordered(schema: Schema): boolean {
  return schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map';
}

function canonicalList(items: readonly unknown[]): string {
  return items.map(goJson).sort().join();
}

/** Returns whether two JSON values are equal for rules: lists of type `set` and `map` without regard to order. */
export function equalBySchema(a: unknown, b: unknown, schema: Schema | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    if (schema !== undefined && isUnordered(schema)) return canonicalList(a) === canonicalList(b);
    return a.every((item, index) => equalBySchema(item, b[index], schema?.items));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => {
      const property = own(schema?.properties, key);
      const additional = schema?.additionalProperties;
      const below = property ?? (typeof additional === 'object' ? additional : undefined);
      return Object.hasOwn(b, key) && equalBySchema(a[key], b[key], below);
    })
  );
}
