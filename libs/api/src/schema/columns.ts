import type { PrintColumn } from './define.js';

/** Returns a column of text. */
export function textColumn(name: string, jsonPath: string): PrintColumn {
  return { name, type: 'string', jsonPath };
}

/** Returns columns of text that are called as the fields that they show: `State` shows `.status.state`. */
export function fieldColumns(parent: 'spec' | 'status', ...names: string[]): PrintColumn[] {
  return names.map((name) => textColumn(name, `.${parent}.${name.charAt(0).toLowerCase()}${name.slice(1)}`));
}

/** The column of a message that status has, with `-o wide`. */
export const messageColumn: PrintColumn = { ...textColumn('Message', '.status.message'), priority: 1 };

export const ageColumn: PrintColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
