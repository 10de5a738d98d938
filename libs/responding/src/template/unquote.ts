const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};
const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.?))/gsu;

/**
 * Returns the content of a string literal of Go (specification of the language, "String literals"), escapes resolved. Bytes
 * above 7F (`\xff`) are not supported.
 * @throws the error that `error` creates for the offset of a wrong escape.
 */
export function unquote(text: string, error: (offset: number, problem: string) => Error): string {
  return text.replace(
    escape,
    (match, byte?: string, short?: string, long?: string, octal?: string, letter?: string, ...rest) => {
      const offset = rest[0] as number;
      const wrong = () => error(offset, `${JSON.stringify(match)} is not an escape that is supported`);
      if (letter !== undefined) {
        const character = Object.hasOwn(simple, letter) ? simple[letter] : undefined;
        if (character === undefined) throw wrong();
        return character;
      }
      const code = octal === undefined ? parseInt(byte ?? short ?? long ?? '', 16) : parseInt(octal, 8);
      const isByte = byte !== undefined || octal !== undefined;
      if (code > (isByte ? 0x7f : 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw wrong();
      return String.fromCodePoint(code);
    },
  );
}
