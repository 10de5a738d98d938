import { truncate } from '@interlock/base';
import type { CheckLine } from './model.js';
import { escapeMarkdown } from './template.js';

const marks: Record<CheckLine['state'], string> = { success: '✅', pending: '🟡', failure: '❌' };

const maxTable = 30_000;
const maxMessage = 1024;
/** The messages of a table that would be too long otherwise. */
const shortMessage = 100;
const maxText = 20_000;
/** The API server does not accept more. */
const maxDescription = 60_000;

/** Returns the checks of a promotion and what it waits for, in Markdown. */
function checksTable(lines: readonly CheckLine[], waitingFor: string | undefined): string {
  const table = rows(lines, maxMessage);
  const summary =
    waitingFor === undefined
      ? 'All checks pass.'
      : `**Waiting**: ${escapeMarkdown(truncate(waitingFor, maxMessage))}`;
  return [table.length > maxTable ? rows(lines, shortMessage) : table, summary].join('');
}

function rows(lines: readonly CheckLine[], maxLength: number): string {
  if (lines.length === 0) return '';
  const table = lines.map(({ name, state, message }) => {
    const shown = escapeMarkdown(truncate(message, maxLength));
    return `| ${marks[state]} | ${escapeMarkdown(name)} | ${shown} |`;
  });
  return ['| | check | |', '|---|---|---|', ...table, '', ''].join('\n');
}

/** Returns the description of a pull request: a text in Markdown, the checks and what the merge waits for. */
export function describeWithChecks(
  text: string,
  lines: readonly CheckLine[],
  waitingFor: string | undefined,
): string {
  const description = `${truncate(text, maxText)}\n\n${checksTable(lines, waitingFor)}\n`;
  return truncate(description, maxDescription);
}
