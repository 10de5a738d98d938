import { stringify } from 'yaml';
import type { Io } from '../io.js';
import { tableText, type Table } from './table.js';
import { visibleJson } from './visible.js';

export type Format = 'table' | 'json' | 'yaml';
export const formats: readonly Format[] = ['table', 'json', 'yaml'];

/** Returns YAML that kubectl and Flux read with the same values: they read YAML 1.1, in which the plain word off is a boolean. */
export function yamlText(data: unknown): string {
  return stringify(data, { lineWidth: 0, compat: 'yaml-1.1' });
}

/** Returns data as JSON or YAML, with a line feed at the end. */
export function dataText(data: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${visibleJson(JSON.stringify(data, null, 2))}\n` : yamlText(data);
}

/** Prints the result of a command, as a table or as data. */
export function print(
  io: Pick<Io, 'stdout'>,
  format: Format,
  data: unknown,
  table: Table,
  options: { header: boolean } = { header: true },
): void {
  io.stdout(format === 'table' ? tableText(table, options) : dataText(data, format));
}
