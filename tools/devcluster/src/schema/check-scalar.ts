import type { RE2JS } from 're2js';
import { formatCheck } from './formats.js';
import { invalid, notSupported, tooLong, typeInvalid, unplaced } from './field-error.js';
import { goJson, goNumber, goQuote, isObject, jsonEqual } from './json.js';
import type { Cause, Schema } from './types.js';

/** Returns the JSON type of a value in the wording of the API server. */
function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Returns the types a schema accepts; empty when it accepts all. */
function acceptedTypes(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** Checks the type of a value; the message names the place (`spec.size in body`). */
export function checkType(value: unknown, schema: Schema, path: string): Cause | undefined {
  const types = acceptedTypes(schema);
  const actual = jsonType(value);
  if (value === null) {
    return types.length > 0 && schema.nullable !== true
      ? wrongType(path, types.join(','), 'null')
      : undefined;
  }
  const accepted = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  if (formatCheck(schema.format) !== undefined && schema.format !== undefined) {
    if (actual !== 'string' && actual !== 'array' && !accepted) {
      return wrongType(path, schema.format, numberFormat(actual));
    }
    const numeric = types.includes('integer') || types.includes('number');
    if (!numeric && (actual === 'string' || actual === 'array')) return undefined;
  }
  return types.length === 0 || accepted ? undefined : wrongType(path, types.join(','), actual);
}

function numberFormat(type: string): string {
  if (type === 'integer') return 'int64';
  return type === 'number' ? 'double' : '';
}

function wrongType(path: string, expected: string, actual: string): Cause {
  return typeInvalid(path, actual, `${path} in body must be of type ${expected}: ${goQuote(actual)}`);
}

/** Checks the length and the pattern of a string; only the first failure is reported. */
export function checkString(text: string, schema: Schema, path: string, pattern?: RE2JS): Cause | undefined {
  const length = [...text].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) return tooLong(path, schema.maxLength);
  if (schema.minLength !== undefined && length < schema.minLength) {
    return invalid(path, text, `${path} in body should be at least ${schema.minLength} chars long`);
  }
  if (pattern !== undefined && !pattern.matcher(text).find()) {
    return invalid(path, text, `${path} in body should match '${schema.pattern ?? ''}'`);
  }
  return undefined;
}

/** Checks the format of a string. */
export function checkFormat(text: string, schema: Schema, path: string): Cause | undefined {
  const check = formatCheck(schema.format);
  if (check === undefined || check(text)) return undefined;
  return typeInvalid(path, text, `${path} in body must be of type ${schema.format ?? ''}: ${goQuote(text)}`);
}

/** Checks the range of the format, multipleOf, maximum and minimum of a number. */
export function checkNumber(value: number, schema: Schema, path: string): Cause[] {
  const causes = checkRange(value, schema, path);
  const report = (rule: string, bound: number): void => {
    causes.push(invalid(path, value, `${path} in body should be ${rule} ${goNumber(bound)}`));
  };
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf))
    report('a multiple of', multipleOf);
  if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    report(exclusiveMaximum === true ? 'less than' : 'less than or equal to', maximum);
  }
  if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    report(exclusiveMinimum === true ? 'greater than' : 'greater than or equal to', minimum);
  }
  return causes;
}

const integerRanges: Readonly<Record<string, readonly [min: number, max: number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};
const int64Range = [-(2 ** 63), 2 ** 63] as const;
const maxFloat32 = 3.4028234663852886e38;

/** Checks that a number fits the format. Source: kube-openapi validation/validate/values.go, IsValueValidAgainstRange. */
function checkRange(value: number, { type, format = '' }: Schema, path: string): Cause[] {
  if (isInRange(value, type, format)) return [];
  const place = format === '' ? '(default format)' : `with format ${format}`;
  return [unplaced(`Checked value must be of type ${type ?? ''} ${place} in ${path}`)];
}

function isInRange(value: number, type: string | undefined, format: string): boolean {
  if (type !== 'integer') {
    return (format !== 'float' && format !== 'float32') || Math.abs(value) <= maxFloat32;
  }
  const [min, max] = integerRanges[format] ?? int64Range;
  return Number.isInteger(value) && value >= min && value <= max;
}

function isMultiple(value: number, factor: number): boolean {
  return Number.isInteger(Number((value / factor).toPrecision(15)));
}

/** Checks that a value is one of the schema's enum. */
export function checkEnum(value: unknown, schema: Schema, path: string): Cause | undefined {
  const values = schema.enum;
  if (values === undefined || values.length === 0) return undefined;
  if (values.some((allowed) => allowed !== null && jsonEqual(allowed, value))) return undefined;
  return notSupported(
    path,
    value,
    values.map((allowed) => (typeof allowed === 'string' ? allowed : goJson(allowed))),
  );
}
