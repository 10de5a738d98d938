import { RE2JS } from 're2js';
import { CheckResult } from './check-result.js';
import { checkEnum, checkFormat, checkNumber, checkString, checkType } from './check-scalar.js';
import { checkJunctors } from './check-junctors.js';
import { invalid, required, tooMany } from './field-error.js';
import { isObject, jsonEqual, own } from './json.js';
import { at, child } from './path.js';
import type { Cause, Json, JsonObject, Schema } from './types.js';

const patterns = new WeakMap<Schema, RE2JS>();

/**
 * Checks a value against the value validations of a schema, as kube-openapi does it for custom resources: type, junctors, string, format,
 * number, list, enum and object constraints, in this order. Errors in a part that equals its old value are tolerated (ratcheting), as
 * far as old and new can be matched: fields of objects and items of `map` lists.
 *
 * @param old the value before an update, undefined on create or when it cannot be matched.
 */
export function checkValue(value: Json, schema: Schema, path: string, old?: Json): CheckResult {
  const result = new CheckResult();
  const wrongType = checkType(value, schema, path);
  if (wrongType === undefined) result.matches += 1;
  for (const check of [list(wrongType), ...checksOf(value, schema, path, old)]) {
    if (check instanceof CheckResult) result.merge(check);
    else result.add(...check);
    result.matches += 1;
  }
  if (!result.valid && old !== undefined && jsonEqual(value, old)) return new CheckResult();
  return result;
}

/** Returns the checks after the type check, in the order in which their causes are reported. */
function checksOf(value: Json, schema: Schema, path: string, old?: Json): (readonly Cause[] | CheckResult)[] {
  const enumeration = list(checkEnum(value, schema, path));
  if (value === null) return [enumeration];
  const junctors = checkJunctors(value, schema, path, checkValue);
  if (isObject(value)) return [junctors, enumeration, checkObject(value, schema, path, old)];
  if (Array.isArray(value)) return [junctors, checkList(value, schema, path, old), enumeration];
  if (typeof value === 'number') return [junctors, checkNumber(value, schema, path), enumeration];
  if (typeof value === 'boolean') return [junctors, enumeration];
  const text = list(checkString(value, schema, path, patternOf(schema)));
  return [junctors, text, list(checkFormat(value, schema, path)), enumeration];
}

function list(cause: Cause | undefined): readonly Cause[] {
  return cause === undefined ? [] : [cause];
}

function patternOf(schema: Schema): RE2JS | undefined {
  if (schema.pattern === undefined || schema.pattern === '') return undefined;
  const known = patterns.get(schema);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(schema.pattern);
  patterns.set(schema, compiled);
  return compiled;
}

function checkList(items: readonly Json[], schema: Schema, path: string, old: Json | undefined): CheckResult {
  const result = new CheckResult();
  const oldItems = matchItems(old, schema);
  if (schema.items !== undefined) {
    for (const [index, item] of items.entries()) {
      result.merge(checkValue(item, schema.items, at(path, index), oldItems(item)));
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems) {
    result.add(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) result.add(tooMany(path, items.length, maxItems));
  return result;
}

/** Returns the old item with the same keys in a list of type `map`. Items of other lists cannot be matched. */
export function matchItems(old: Json | undefined, schema: Schema): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0)
    return () => undefined;
  const keyOf = (item: Json): string | undefined =>
    isObject(item) ? JSON.stringify(keys.map((name) => own(item, name) ?? null)) : undefined;
  const byKey = new Map(old.map((item) => [keyOf(item), item] as const));
  byKey.delete(undefined);
  return (item) => byKey.get(keyOf(item));
}

function checkObject(object: JsonObject, schema: Schema, path: string, old: Json | undefined): CheckResult {
  const result = new CheckResult();
  const size = Object.keys(object).length;
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && size < minProperties) {
    result.add(invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
    return result;
  }
  if (maxProperties !== undefined && size > maxProperties) {
    result.add(tooMany(path, size, maxProperties));
    return result;
  }
  const oldObject = isObject(old) ? old : undefined;
  for (const [name, schemaOfName, value] of fieldsWithSchema(object, schema)) {
    if (schemaOfName === undefined)
      result.add(invalid(path, name, `${child(path, name)} in body is a forbidden property`));
    else result.merge(checkValue(value, schemaOfName, child(path, name), own(oldObject, name)));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) result.add(required(child(path, name)));
  }
  return result;
}

type FieldWithSchema = readonly [name: string, schema: Schema | undefined, value: Json];

/** Returns the fields that a schema describes or forbids. The schema of a forbidden field is undefined. */
function fieldsWithSchema(object: JsonObject, schema: Schema): FieldWithSchema[] {
  const { additionalProperties, properties = {} } = schema;
  const fields: FieldWithSchema[] = [];
  if (additionalProperties === false || typeof additionalProperties === 'object') {
    for (const [name, value] of Object.entries(object)) {
      if (Object.hasOwn(properties, name)) continue;
      fields.push([name, additionalProperties === false ? undefined : additionalProperties, value]);
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    const value = own(object, name);
    if (value !== undefined) fields.push([name, property, value]);
  }
  return fields;
}
