import { prefixOf } from '@interlock/base';

/** Longer texts are cut, so that an expression costs little regardless of its author; in characters. */
const maxText = 4096;

/** Returns a JSON value in the form that CEL uses: integral numbers are ints, as in the API server. */
export function celValue(value: unknown): unknown {
  if (typeof value === 'string') return prefixOf(value, maxText);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member)]));
}
