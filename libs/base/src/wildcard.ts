/**
 * Returns whether a text matches a pattern in which `*` stands for any text. Each part is searched once, after the
 * previous one, so the time is linear in the lengths of both, whatever the number of stars.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
