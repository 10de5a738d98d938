import type { Measurement } from './benchmark.js';
import type { Machine } from './machine.js';

interface Result {
  metric: string;
  value: number;
  unit: string;
  peer: number | null;
  /** Value divided by peer: below 1, the value is smaller than the value of the peer. */
  ratio: number | null;
}

interface Report {
  name: string;
  machine: Machine;
  results: Result[];
}

/** Returns the report of a benchmark, with three significant digits. */
export function reportOf(name: string, machine: Machine, measurements: readonly Measurement[]): Report {
  const results = measurements.map(({ metric, value, unit, peer }) => ({
    metric,
    value: rounded(value),
    unit,
    peer: peer === undefined ? null : rounded(peer),
    ratio: peer === undefined || peer === 0 ? null : rounded(value / peer),
  }));
  return { name, machine, results };
}

/** Returns the report as a table. */
export function tableOf({ name, machine, results }: Report): string {
  const { cores, memoryGiB, node, load } = machine;
  const head = ['metric', 'value', 'unit', 'peer', 'ratio'];
  const text = (value: number | null) => (value === null ? '-' : String(value));
  const rows = results.map((result) => [
    result.metric,
    text(result.value),
    result.unit,
    text(result.peer),
    text(result.ratio),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const numeric = [false, true, false, true, true];
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const about = `${name}: ${cores} cores, ${memoryGiB} GiB, Node.js ${node}, load ${load} at the start`;
  return [about, '', line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

function rounded(value: number): number {
  if (Number.isInteger(value)) return value;
  return Number(value.toPrecision(3));
}
