/**
 * Returns rows as lines with aligned columns, the titles first. Pure.
 *
 * @param numbers the columns that are aligned to the right
 */
export function textTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: ReadonlySet<number> = new Set(),
): string[] {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return numbers.has(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
