import { goJson, goNumber, goQuote } from './json.js';
import type { Cause } from './types.js';

/** Value that is omitted from the message, like `field.OmitValueType` of k8s.io/apimachinery. */
export const omitValue: unique symbol = Symbol('omit value');

/**
 * Returns the cause `Required value`. Messages and reasons are those of k8s.io/apimachinery/pkg/util/validation/field.
 */
export function required(field: string, detail = ''): Cause {
  return cause('FieldValueRequired', field, 'Required value', detail);
}

/** Returns the cause `Forbidden`. */
export function forbidden(field: string, detail: string): Cause {
  return cause('FieldValueForbidden', field, 'Forbidden', detail);
}

/** Returns the cause `Invalid value: <value>: <detail>`. */
export function invalid(field: string, value: unknown, detail: string): Cause {
  return cause('FieldValueInvalid', field, withValue('Invalid value', value), detail);
}

/** Returns a cause without a field: the message itself names the place. */
export function unplaced(message: string): Cause {
  return invalid('', '', message);
}

/** Returns the same message as {@link invalid}, with the reason for a value of the wrong type. */
export function typeInvalid(field: string, value: unknown, detail: string): Cause {
  return cause('FieldValueTypeInvalid', field, withValue('Invalid value', value), detail);
}

/** Returns the cause `Duplicate value: <value>`. */
export function duplicate(field: string, value: unknown): Cause {
  return cause('FieldValueDuplicate', field, withValue('Duplicate value', value), '');
}

/** Returns the cause `Unsupported value: <value>: supported values: …`, with the values in the given order. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return cause('FieldValueNotSupported', field, withValue('Unsupported value', value), detail);
}

/** Returns the cause `Too long: may not be more than <max> bytes`. */
export function tooLong(field: string, max: number): Cause {
  return cause('FieldValueTooLong', field, 'Too long', `may not be more than ${max} bytes`);
}

/** Returns the cause `Too many: <actual>: must have at most <max> items`. */
export function tooMany(field: string, actual: number, max: number): Cause {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return cause('FieldValueTooMany', field, withValue('Too many', actual), detail);
}

/** Returns the cause `Internal error: <detail>`. */
export function internal(field: string, detail: string): Cause {
  return cause('InternalError', field, 'Internal error', detail);
}

function cause(reason: string, field: string, head: string, detail: string): Cause {
  return {
    reason,
    message: detail === '' ? head : `${head}: ${detail}`,
    field: field === '' ? '<nil>' : field,
  };
}

function withValue(head: string, value: unknown): string {
  return value === omitValue ? head : `${head}: ${formatValue(value)}`;
}

function formatValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return goQuote(value);
    case 'number':
      return goNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return value instanceof RawJson ? value.text : goJson(value);
  }
}

/** Text that is the value of a cause without quotes. */
export class RawJson {
  constructor(readonly text: string) {}
}
