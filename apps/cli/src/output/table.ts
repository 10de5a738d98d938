/**
 * A table in the format of Flux: headers in upper case, cells padded and separated by a tab, no borders, no wrapping.
 */
export interface Table {
  headers: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Returns the lines of the table; empty without rows. */
export function tableText({ headers, rows }: Table, options: { header: boolean }): string {
  const lines = options.header ? [headers, ...rows] : rows;
  if (rows.length === 0) return '';
  const widths = headers.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  const text = (line: readonly string[]) =>
    headers
      .map((_, column) => padded(clean(line[column] ?? ''), widths[column] ?? 0))
      .join('\t')
      .trimEnd();
  return lines.map((line) => `${text(line)}\n`).join('');
}

function padded(cell: string, to: number): string {
  return cell + ' '.repeat(Math.max(0, to - width(cell)));
}

function width(cell: string): number {
  return [...clean(cell)].length;
}

/** Replaces control characters, because a message must not break the table or control the terminal. */
function clean(cell: string): string {
  return cell.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
