import { createHash } from 'node:crypto';

/**
 * Returns a value as JSON text that is equal for two values exactly if they are equivalent: members are in the order of
 * their names' code units (RFC 8785, 3.2.3), without the members that JSON omits.
 */
export function canonicalJson(value: unknown): string {
  return textOf(value) ?? 'null';
}

/** Returns whether two values are equivalent as JSON: the order of keys and absent members do not count. */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

/** Returns the SHA-256 digest (hex) of the canonical JSON of a value. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Returns the canonical text of a value; like `JSON.stringify`, undefined for values that JSON does not have. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) as string | undefined;
  if (hasToJson(value)) return textOf(value.toJSON());
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const text = textOf((value as Record<string, unknown>)[key]);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
