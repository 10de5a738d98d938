import type { Result } from './run.js';
import type { Target } from './target.js';

const marks = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const;

/** Returns a function that prints a line for each result, and the problem of each failed case. */
export function textReporter(print: (line: string) => void): (result: Result) => void {
  return ({ group, name, outcome }) => {
    print(
      `${marks[outcome.kind]} ${group}: ${name}${outcome.kind === 'skipped' ? ` (${outcome.reason})` : ''}`,
    );
    if (outcome.kind === 'failed') print(outcome.problem.replace(/^/gm, '       '));
  };
}

function counts(results: readonly Result[]): Record<keyof typeof marks, number> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) total[outcome.kind] += 1;
  return total;
}

/** Returns the last line of a run: `N passed, N failed`, and `N skipped` if cases were skipped. */
export function summaryOf(results: readonly Result[]): string {
  const { passed, failed, skipped } = counts(results);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Returns the results as one JSON object: `{server, version, passed, failed, skipped, results}`. */
export function toJson({ url, version }: Target, results: readonly Result[]): string {
  const flat = results.map(({ group, name, outcome }) => ({ group, name, ...outcome }));
  return JSON.stringify({ server: url, version, ...counts(results), results: flat }, undefined, 2);
}
