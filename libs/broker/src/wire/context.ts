import { Fields, isJsonObject } from './fields.js';

/**
 * Returns the fields of a dictionary of `contextData`, which the service writes in a compact form: a plain text or
 * `{t: 0, s}`, `{t: 2, d: [{k, v}…]}` (5: case-sensitive) for dictionaries, `{t: 3, b}` for booleans, and `{t: 4, n}`
 * for numbers. A dictionary that is written as a plain object is accepted as such.
 */
export function contextFields(value: unknown): Fields {
  if (isJsonObject(value) && value['t'] === undefined && value['d'] === undefined) return new Fields(value);
  const entries: Record<string, unknown> = {};
  for (const entry of new Fields(value).list('d')) {
    if (!isJsonObject(entry)) continue;
    const key = scalarOf(entry['k']);
    if (typeof key === 'string') entries[key] = scalarOf(entry['v']);
  }
  return new Fields(entries);
}

/** Returns a text, a boolean or a number in plain form; any other value unchanged. */
function scalarOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const kind = value['t'] ?? 0;
  if (kind === 0) return value['s'];
  if (kind === 3) return value['b'];
  if (kind === 4) return value['n'];
  return value;
}
