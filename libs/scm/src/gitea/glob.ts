/**
 * Returns whether a name matches a context of a branch protection, a glob in which `*` is any text. Each part is
 * searched once, behind the one before it, whatever the number of stars is.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
