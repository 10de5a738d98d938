import type { PrintColumn } from './define.js';

/** Returns a column of text. */
export function textColumn(name: string, jsonPath: string): PrintColumn {
  return { name, type: 'string', jsonPath };
}

/** Returns text columns named after the fields that they show: `State` shows `.status.state`. */
export function fieldColumns(parent: 'spec' | 'status', ...names: string[]): PrintColumn[] {
  return names.map((name) => textColumn(name, `.${parent}.${name.charAt(0).toLowerCase()}${name.slice(1)}`));
}

/** The column of the message in a status, which `-o wide` shows. */
export const messageColumn: PrintColumn = { ...textColumn('Message', '.status.message'), priority: 1 };

export const ageColumn: PrintColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
