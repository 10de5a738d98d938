import type { Schema } from '../types.js';

/** The bytes of the largest request that the API server reads; it bounds every size that a schema leaves open. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

const MIN_OBJECT_BYTES = 2;
const MIN_STRING_BYTES = 2;
const BYTES_PER_CHARACTER = 4;

/**
 * The largest number of elements (characters, items, entries) of a value, from the limits of its schema, or else from what fits in a request.
 * The numbers are those of the API server's cost estimation (k8s.io/apiserver/pkg/cel/common).
 */
export function maxElements(schema: Schema): number {
  if (schema['x-kubernetes-int-or-string'] === true) return MAX_REQUEST_BYTES - 2;
  switch (schema.type) {
    case 'array':
      return schema.maxItems ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(schema.items ?? {}) + 1));
    case 'object': {
      const values = schema.additionalProperties;
      if (typeof values !== 'object') return 0;
      return schema.maxProperties ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(values) + 6));
    }
    case 'string':
      return maxStringLength(schema);
    default:
      return 1;
  }
}

function maxStringLength(schema: Schema): number {
  switch (schema.format) {
    case 'date':
    case 'date-time':
      return 1;
    case 'byte':
    case 'duration':
      return schema.maxLength ?? MAX_REQUEST_BYTES - 2;
    default:
      break;
  }
  if (schema.maxLength !== undefined) return schema.maxLength * BYTES_PER_CHARACTER;
  const { enum: values = [] } = schema;
  if (values.length > 0) return Math.max(...values.map((value) => String(value).length));
  return MAX_REQUEST_BYTES - 2;
}

/** The fewest bytes that a value takes in a JSON request. */
export function minBytes(schema: Schema): number {
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema.type) {
    case 'string':
      return { date: 12, 'date-time': 22, duration: 3 }[schema.format ?? ''] ?? MIN_STRING_BYTES;
    case 'boolean':
      return 4;
    case 'object':
      return minObjectBytes(schema);
    case 'array':
      return MIN_OBJECT_BYTES;
    default:
      return 1;
  }
}

function minObjectBytes(schema: Schema): number {
  const fields = (schema.required ?? []).map((name) => {
    const property = schema.properties?.[name];
    if (property === undefined || property.default !== undefined) return 0;
    return name.length + minBytes(property) + 4;
  });
  return MIN_OBJECT_BYTES + fields.reduce((sum, bytes) => sum + bytes, 0);
}
