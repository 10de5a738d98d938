import type { CheckLine } from './model.js';
import { escapeMarkdown } from './template.js';

const marks: Record<CheckLine['state'], string> = { success: '✅', pending: '🟡', failure: '❌' };

/** Returns the checks of a promotion and what it waits for, in Markdown, for the description of its pull request. */
export function checksTable(lines: readonly CheckLine[], waitingFor: string | undefined): string {
  const rows = lines.map(
    ({ name, state, message }) =>
      `| ${marks[state]} | ${escapeMarkdown(name)} | ${escapeMarkdown(message)} |`,
  );
  const table = rows.length === 0 ? [] : ['| | check | |', '|---|---|---|', ...rows, ''];
  const summary =
    waitingFor === undefined ? 'All checks pass.' : `**Waiting**: ${escapeMarkdown(waitingFor)}`;
  return [...table, summary].join('\n');
}
