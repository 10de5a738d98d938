/** Readers for objects of unknown shape: a value that is missing or has another type counts as absent. */

/** Returns the value at a path of keys, or undefined if a part of the path is missing. */
export function fieldAt(object: unknown, ...path: string[]): unknown {
  let value = object;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Returns the objects of the list at a path. */
export function recordsAt(object: unknown, ...path: string[]): Readonly<Record<string, unknown>>[] {
  const value = fieldAt(object, ...path);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns the strings of the list at a path. */
export function stringsAt(object: unknown, ...path: string[]): string[] {
  const value = fieldAt(object, ...path);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns the string at a path, or an empty string if there is none. */
export function stringAt(object: unknown, ...path: string[]): string {
  const value = fieldAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** Returns the names of the fields of the object at a path. */
export function keysAt(object: unknown, ...path: string[]): string[] {
  const value = fieldAt(object, ...path);
  return isRecord(value) ? Object.keys(value) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
