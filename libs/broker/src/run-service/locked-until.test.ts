import { expect, test } from '@jest/globals';
import { readLockedUntil } from './locked-until.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const lock = (lockedUntil: string | null): string => JSON.stringify({ lockedUntil });

test.each<[string, string, string | undefined, number]>([
  ['states, if the clocks agree', lock('2026-01-01T00:00:20Z'), 'Thu, 01 Jan 2026 00:00:00 GMT', 20],
  ['states, if its clock is ahead', lock('2026-01-01T00:19:00Z'), 'Thu, 01 Jan 2026 00:18:40 GMT', 20],
  ['states, if its clock is behind', lock('2025-12-31T23:50:20Z'), 'Wed, 31 Dec 2025 23:50:00 GMT', 20],
  ['states, without a date', lock('2026-01-01T00:05:00.1234567Z'), undefined, 300.123],
  ['states, with a date that cannot be read', lock('2026-01-01T00:05:00Z'), 'soon', 300],
  ['documents, if it states none', lock(null), 'Thu, 01 Jan 2026 00:18:40 GMT', 600],
  ['documents, if its answer is empty', '', undefined, 600],
  ['documents, if its answer is a line break', '\n', undefined, 600],
  ['documents, if its answer is a word', 'OK', undefined, 600],
])('readLockedUntil returns the end of the lock that the service %s', (_title, body, date, seconds) => {
  expect(readLockedUntil({ body: Buffer.from(body), headers: { date } }, now)).toBe(now + seconds * 1000);
});

test('readLockedUntil throws for the page of a proxy', () => {
  const body = Buffer.from('\n<html>Sign in</html>');
  expect(() => readLockedUntil({ body, headers: {} }, now)).toThrow('not JSON');
});
