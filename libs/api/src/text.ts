/**
 * Returns the text without the `characters` at its end, in one pass: a regular expression such as `/\/+$/` takes
 * quadratic time for a long run of them in the middle.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the text without the `characters` at both ends, in one pass. */
export function withoutEnds(text: string, characters: string): string {
  const rest = withoutEnd(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start += 1;
  return rest.slice(start);
}
