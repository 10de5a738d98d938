/** Parses the indexes in a status, such as "1,3-5,7". Omits indexes that are not below `completions`. */
export function parseIndexes(text: string, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    const last = Math.min(Number(match[2] ?? first), completions - 1);
    for (let index = first; index <= last; index += 1) indexes.add(index);
  }
  return indexes;
}

/** Returns indexes in the format of a status: ranges of three and more with a dash. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const [first = 0, last = 0] = [sorted[start], sorted[end]];
    if (end === start) parts.push(String(first));
    else parts.push(`${String(first)}${end === start + 1 ? ',' : '-'}${String(last)}`);
    start = end + 1;
  }
  return parts.join(',');
}

/** Returns the smallest free indexes below `completions`, at most `count`. */
export function pendingIndexes(taken: ReadonlySet<number>, completions: number, count: number): number[] {
  const found: number[] = [];
  for (let index = 0; index < completions && found.length < count; index += 1) {
    if (!taken.has(index)) found.push(index);
  }
  return found;
}
