/** Returns whether a runner version is lower than another. Versions are numbers separated by dots; a suffix is ignored. */
export function isOlder(version: string, minimum: string): boolean {
  const given = numbersOf(version);
  for (const [index, least] of numbersOf(minimum).entries()) {
    const part = given[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

function numbersOf(version: string): number[] {
  return version
    .slice(0, 50)
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0);
}
