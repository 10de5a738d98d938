import { keyString } from '@interlock/api';
import { keyAt } from './objects.js';

const mostReported = 10;

/** Returns the number of writes of an object. @param counts by the index of the object */
export function writtenOf(counts: readonly number[]): (object: string) => number {
  const byObject = new Map(counts.map((count, index) => [keyString(keyAt(index)), count]));
  return (object) => byObject.get(object) ?? 0;
}

/** Returns the first violations and the total number. */
export function violationsToReport(all: readonly string[]): { violations: string[]; violationCount: number } {
  return { violations: all.slice(0, mostReported), violationCount: all.length };
}

/** @throws Error with the violations when there are any */
export function assertNone(
  what: string,
  { violations, violationCount }: { violations: readonly string[]; violationCount: number },
): void {
  if (violationCount === 0) return;
  const more = violationCount > violations.length ? `\n… and ${violationCount - violations.length} more` : '';
  throw new Error(`${what}: ${violationCount} violations\n${violations.join('\n')}${more}`);
}
