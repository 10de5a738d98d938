import type { Schema } from './types.js';

/** Options of any field; a string is its description. */
type Options = string | Omit<Schema, 'type' | 'properties' | 'items' | 'additionalProperties'>;

function withOptions(base: Schema, options: Options): Schema {
  return { ...base, ...(typeof options === 'string' ? { description: options } : options) };
}

/** Returns the schema of a string. */
export function string(options: Options = {}): Schema {
  return withOptions({ type: 'string' }, options);
}

/** Returns the schema of a string that has one of the given values. */
export function oneOf(values: readonly string[], options: Options = {}): Schema {
  return withOptions({ type: 'string', enum: [...values] }, options);
}

/** Returns the schema of a boolean. */
export function boolean(options: Options = {}): Schema {
  return withOptions({ type: 'boolean' }, options);
}

/** Returns the schema of a 32 bit integer. */
export function int32(options: Options = {}): Schema {
  return withOptions({ type: 'integer', format: 'int32' }, options);
}

/** Returns the schema of a 64 bit integer. */
export function int64(options: Options = {}): Schema {
  return withOptions({ type: 'integer', format: 'int64' }, options);
}

/** Returns the schema of a floating point number. */
export function double(options: Options = {}): Schema {
  return withOptions({ type: 'number', format: 'double' }, options);
}

/** Returns the schema of bytes in Base64 (Go's `[]byte`). */
export function bytes(options: Options = {}): Schema {
  return withOptions({ type: 'string', format: 'byte' }, options);
}

/** Returns the schema of an RFC 3339 timestamp in whole seconds (`metav1.Time`). */
export function dateTime(options: Options = {}): Schema {
  return withOptions({ type: 'string', format: 'date-time' }, options);
}

/** Returns the schema of an RFC 3339 timestamp with microseconds (`metav1.MicroTime`). */
export function microTime(options: Options = {}): Schema {
  return withOptions({ type: 'string', format: 'micro-time' }, options);
}

/** Returns the schema of an integer or a string (`intstr.IntOrString`). */
export function intOrString(options: Options = {}): Schema {
  return withOptions(
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    options,
  );
}

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** Returns the schema of a quantity (`resource.Quantity`): a number, or a number with a unit in a string. */
export function quantity(options: Options = {}): Schema {
  return { ...intOrString(options), pattern: quantityPattern };
}

/** Returns whether a schema is a {@link quantity}. */
export function isQuantitySchema({ pattern }: Schema): boolean {
  return pattern === quantityPattern;
}

/** Returns the schema of an object; `required` lists the fields that are required. */
export function object<P extends Readonly<Record<string, Schema>>>(
  properties: P,
  options: Options | (Exclude<Options, string> & { required?: (keyof P & string)[] }) = {},
): Schema {
  return withOptions({ type: 'object', properties }, options);
}

/** Returns the schema of a map from strings to values of one schema. */
export function map(values: Schema, options: Options = {}): Schema {
  return withOptions({ type: 'object', additionalProperties: values }, options);
}

/** Returns the schema of an object whose fields are not known (`runtime.RawExtension`, `FieldsV1`). */
export function anyObject(options: Options = {}): Schema {
  return withOptions({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, options);
}

/** Returns the schema of a value of any type (`apiextensions.JSON`). */
export function anyValue(options: Options = {}): Schema {
  return withOptions({ 'x-kubernetes-preserve-unknown-fields': true }, options);
}

/** Returns the schema of a list that is replaced as a whole. */
export function list(items: Schema, options: Options = {}): Schema {
  return withOptions({ type: 'array', items, 'x-kubernetes-list-type': 'atomic' }, options);
}

/** Returns the schema of a list without duplicates, merged item by item in server-side apply and in strategic merge patches. */
export function setList(items: Schema, options: Options = {}): Schema {
  return withOptions(
    { type: 'array', items, 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
    options,
  );
}

/**
 * Returns the schema of a list of objects with identity: server-side apply merges the items by `keys`, and strategic
 * merge patches merge them by the first key unless the options name another `x-kubernetes-patch-merge-key`.
 */
export function listMap(items: Schema, keys: readonly [string, ...string[]], options: Options = {}): Schema {
  return withOptions(
    {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': [...keys],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': keys[0],
    },
    options,
  );
}

/** Returns the schema of a struct that server-side apply owns as a whole (`LocalObjectReference`, `LabelSelector`). */
export function atomic(schema: Schema): Schema {
  return { ...schema, 'x-kubernetes-map-type': 'atomic' };
}
