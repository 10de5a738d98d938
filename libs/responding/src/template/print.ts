/** The values of templates. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** Returns a value as Go's `%v` writes it. */
export function printValue(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(printValue).join(' ')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${printValue(value[key] ?? null)}`);
  return `map[${members.join(' ')}]`;
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/**
 * Returns text as Go's `%q` writes it: in quotation marks, with escapes for characters that are not printable
 * (strconv.Quote).
 */
export function quoteText(text: string): string {
  const inner = [...text].map((character) => {
    const escape = Object.hasOwn(named, character) ? named[character] : undefined;
    if (escape !== undefined) return escape;
    if (character === ' ' || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
    const code = character.codePointAt(0) ?? 0xfffd;
    if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
    if (code >= 0xd800 && code <= 0xdfff) return '\uFFFD';
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
  return `"${inner.join('')}"`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
