import { Quantity, quantityProblem } from '@interlock/api/quantities';
import { isQuantitySchema } from '../schema/dsl.js';
import { isObject, own } from '../schema/json.js';
import type { Json, JsonObject, Schema } from '../schema/types.js';

/** A value that Go's decoder of a built-in kind refuses. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';

  constructor(
    message: string,
    /** The message in the words of Go's conversion of maps to structs, which decodes strategic merge patches. */
    readonly conversionMessage: string = message,
  ) {
    super(message);
  }
}

/**
 * Decodes in place as Go structs with `omitempty` do: nulls, empty lists and empty maps are removed, values of a wrong
 * type are refused, times become UTC, and quantities get their canonical form. Unknown fields are not changed. Throws
 * DecodeError.
 */
export function goDecode(value: JsonObject, schema: Schema, path: string): void {
  for (const [name, field] of Object.entries(value)) {
    const known = own(schema.properties, name) ?? additional(schema);
    if (field === null) {
      if (known !== undefined || schema['x-kubernetes-preserve-unknown-fields'] !== true) {
        Reflect.deleteProperty(value, name);
      }
      continue;
    }
    if (known === undefined) continue;
    decodeValue(field, known, `${path}.${name}`);
    if (isQuantitySchema(known)) value[name] = canonicalQuantity(field);
    else if (typeof field === 'string') value[name] = canonicalTime(field, known.format);
    if (isOmitted(value[name] ?? null, known)) Reflect.deleteProperty(value, name);
  }
}

function additional(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function isOmitted(value: Json, schema: Schema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0;
}

function decodeValue(value: Json, schema: Schema, path: string): void {
  if (isQuantitySchema(schema)) return;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value !== 'string' && typeof value !== 'number')
      throw mismatch(value, schema, path, 'intstr.IntOrString');
    return;
  }
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) throw mismatch(value, schema, path, 'map[string]interface {}');
      goDecode(value, schema, path);
      return;
    case 'array':
      if (!Array.isArray(value)) throw mismatch(value, schema, path, `[]${goType(schema.items)}`);
      for (const item of value) {
        if (schema.items !== undefined && item !== null) decodeValue(item, schema.items, path);
      }
      return;
    case 'string':
      if (typeof value !== 'string') throw mismatch(value, schema, path, 'string');
      checkFormat(value, schema.format);
      return;
    case 'integer':
      if (typeof value !== 'number' || !isInteger(value, schema))
        throw mismatch(value, schema, path, goType(schema));
      return;
    case 'number':
      if (typeof value !== 'number') throw mismatch(value, schema, path, 'float64');
      return;
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(value, schema, path, 'bool');
      return;
    case undefined:
      return;
  }
}

function isInteger(value: number, { format }: Schema): boolean {
  return Number.isInteger(value) && (format === 'int64' || (value >= -(2 ** 31) && value < 2 ** 31));
}

function goType(schema: Schema | undefined): string {
  switch (schema?.type) {
    case 'string':
      return 'string';
    case 'integer':
      return schema.format === 'int64' ? 'int64' : 'int32';
    case 'boolean':
      return 'bool';
    default:
      return 'interface {}';
  }
}

function mismatch(value: Json, schema: Schema, path: string, wanted: string): DecodeError {
  return new DecodeError(
    `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${path} of type ${wanted}`,
    conversionText(value, schema),
  );
}

/** Returns the message for a value of the wrong type. Source: apimachinery pkg/runtime/converter.go. */
function conversionText(value: Json, schema: Schema): string {
  const kind = goKind(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return `json: cannot unmarshal ${jsonKind(value)} into Go value of type int32`;
  }
  if (schema.type === 'array') return `cannot restore slice from ${kind}`;
  if (schema.type === 'object') {
    const isMap = schema.additionalProperties !== undefined;
    return isMap ? `cannot restore map from ${kind}` : `cannot restore struct from: ${kind}`;
  }
  const type = schema.type === 'number' ? 'float64' : goType(schema);
  const isConvertible =
    (kind === 'int64' && type === 'string') || (kind === 'float64' && schema.type === 'integer');
  return isConvertible ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${type}`;
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (isObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

const rfc3339Pattern =
  /^(?<seconds>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?<fraction>\.\d+)?(?<zone>Z|[+-]\d\d:\d\d)$/;

function checkFormat(value: string, format: string | undefined): void {
  if (format === 'byte') {
    const bad = /[^A-Za-z0-9+/=\r\n]/.exec(value);
    if (bad !== null || value.replace(/[\r\n]/g, '').length % 4 !== 0) {
      throw new DecodeError(`illegal base64 data at input byte ${String(bad?.index ?? value.length)}`);
    }
  } else if (format === 'date-time' || format === 'micro-time') {
    const layout = format === 'micro-time' ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
    const match = rfc3339Pattern.exec(value);
    if (match === null || Number.isNaN(Date.parse(value))) {
      throw new DecodeError(`parsing time "${value}" as "${layout}": cannot parse "${value}" as "2006"`);
    }
    const { fraction = '', zone = '' } = match.groups ?? {};
    if (format === 'micro-time' && fraction.length !== 7) {
      throw new DecodeError(
        `parsing time "${value}" as "${layout}": cannot parse "${fraction}${zone}" as ".000000"`,
      );
    }
  }
}

/**
 * Returns a time as Go prints it, in UTC with seconds (`date-time`) or microseconds (`micro-time`); other text is not
 * changed.
 */
function canonicalTime(value: string, format: string | undefined): string {
  if (format !== 'date-time' && format !== 'micro-time') return value;
  const { seconds = '', fraction = '', zone = '' } = rfc3339Pattern.exec(value)?.groups ?? {};
  const utc = new Date(`${seconds}${zone}`).toISOString().slice(0, seconds.length);
  return `${utc}${format === 'micro-time' ? fraction : ''}Z`;
}

/** Returns a quantity as Kubernetes prints it. Throws DecodeError. */
function canonicalQuantity(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const quantity = Quantity.parse(text);
  if (quantity === undefined) throw new DecodeError(quantityProblem(text));
  return quantity.toString();
}
