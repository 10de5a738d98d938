import type { Json, JsonObject } from './types.js';

/** Returns whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a deep copy of a JSON value, several times as fast as `structuredClone`: each write makes a few copies of the
 * whole object.
 */
export function cloneJson<T extends Json>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  /* A spread has the key `__proto__` as a property of its own, which an assignment to an empty object would not. */
  const copy: JsonObject = { ...value };
  for (const key of Object.keys(copy)) {
    const member = copy[key];
    if (typeof member === 'object') copy[key] = copyOf(member);
  }
  return copy;
}

/** Returns whether two JSON values are equal; the order of object keys does not count. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

/** Returns a property of a string-keyed record, undefined when absent (also for names on Object.prototype). */
export function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns the JSON text that Go's encoding/json writes: keys of maps sorted, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  return escapeHtml(JSON.stringify(sortKeys(value)) ?? 'null');
}

/** Returns the JSON text of a Go struct: keys in the given order, `<`, `>` and `&` escaped. */
export function goStructJson(fields: readonly (readonly [string, unknown])[]): string {
  return `{${fields.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Returns a string as Go's `%q` prints it. */
export function goQuote(text: string): string {
  const escaped = text.replace(/["\\]|[^\P{C}\u{e000}-\u{f8ff}]/gu, (c) => {
    const short = shortEscapes[c];
    if (short !== undefined) return short;
    const code = c.codePointAt(0) ?? 0;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Returns a number as Go's `%v` prints an int64 or a float64. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const text = Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Returns a JSON value as Go's `%v` prints it. */
export function goValue(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, one]) => `${key}:${goValue(one)}`).join(' ')}]`;
}
