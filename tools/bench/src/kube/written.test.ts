import { describe, expect, it } from '@jest/globals';
import { keyString } from '@interlock/api';
import { keyAt, objectCount, objectsOf } from './objects.js';
import { assertNone, violationsToReport, writtenOf } from './written.js';

const violation = (index: number): string => `an event of soak-0/object-${index} is missed`;

describe('the violations of a run', () => {
  it('do not fail the run if there are none', () => {
    expect(() => assertNone('soak', violationsToReport([]))).not.toThrow();
  });

  it.each<[number, string]>([
    [1, `soak: 1 violations\n${violation(0)}`],
    [12, 'and 2 more'],
  ])('fail the run with a message that lists the first violations: %d', (count, message) => {
    const all = Array.from({ length: count }, (_, index) => violation(index));
    expect(() => assertNone('soak', violationsToReport(all))).toThrow(message);
  });
});

describe('the objects', () => {
  it('have 10,000 different names, with 100 in each namespace', () => {
    expect(new Set(objectsOf()).size).toBe(objectCount);
    expect(objectsOf('soak-7')).toHaveLength(100);
  });

  it('have their index as the count', () => {
    const counts = Array.from({ length: objectCount }, (_, index) => index);
    const written = writtenOf(counts);
    expect([0, 4_711].map((index) => written(keyString(keyAt(index))))).toEqual([0, 4_711]);
    expect(written('other/object')).toBe(0);
  });
});
