import fc from 'fast-check';

/** Returns texts that are made of these parts and of short texts of any characters. */
export function textOf(parts: readonly string[], maxParts: number): fc.Arbitrary<string> {
  const part = fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'grapheme', maxLength: 5 }));
  return fc.array(part, { maxLength: maxParts }).map((chosen) => chosen.join(''));
}
