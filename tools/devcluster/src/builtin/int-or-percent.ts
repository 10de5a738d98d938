import { invalid } from '../schema/field-error.js';
import type { Cause, Json } from '../schema/types.js';

const percent = /^[0-9]+%$/;
const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Returns the problems with a number or a percentage. Source: apps validation, ValidatePositiveIntOrPercent. */
export function validateIntOrPercent(value: Json | undefined, field: string): Cause[] {
  if (typeof value === 'string') return percent.test(value) ? [] : [invalid(field, value, percentRule)];
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalid(field, value, 'must be greater than or equal to 0')];
}

/** Returns the problems with a percentage of more than 100%. Source: apps validation, IsNotMoreThan100Percent. */
export function validateAtMostAll(value: Json | undefined, field: string): Cause[] {
  const isMore = typeof value === 'string' && percent.test(value) && parseInt(value, 10) > 100;
  return isMore ? [invalid(field, value, 'must not be greater than 100%')] : [];
}
