import { timestampOf, type Check } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import type { CheckLine, StatusFinding } from './model.js';
import { isFailed } from './statuses.js';

const maxMessage = 1024;

/** Returns the line of the decision for a CommitStatus. */
export function checkOf(finding: StatusFinding): CheckLine {
  const state = finding.phase === 'success' ? 'success' : isFailed(finding) ? 'failure' : 'pending';
  const reason = finding.reason === 'Reported' ? reasonOf(finding.phase) : finding.reason;
  return { name: finding.key, state, reason, message: finding.message };
}

function reasonOf(phase: StatusFinding['phase']): string {
  return phase
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Returns the lines with `since`, which is kept from `before` while state and reason stay the same. */
export function since(
  lines: readonly CheckLine[],
  before: readonly Check[] | undefined,
  now: number,
): Check[] {
  const time = timestampOf(now);
  return lines.map((line) => {
    const known = before?.find((check) => check.name === line.name);
    const unchanged = known?.state === line.state && known.reason === line.reason;
    return { ...line, message: prefixOf(line.message, maxMessage), since: unchanged ? known.since : time };
  });
}

/** Returns the first line that blocks; failures take precedence over pending checks. */
export function blocking<T extends CheckLine>(lines: readonly T[]): T | undefined {
  return lines.find((line) => line.state === 'failure') ?? lines.find((line) => line.state === 'pending');
}
