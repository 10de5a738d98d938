import { describe, expect, it } from '@jest/globals';
import { formatIndexes, parseIndexes, pendingIndexes } from './indexes.js';

describe('indexes', () => {
  it.each<[string, number[]]>([
    ['', []],
    ['3', [3]],
    ['0,1', [0, 1]],
    ['0-2,4,6,7', [0, 1, 2, 4, 6, 7]],
  ])('are parsed from %j and formatted', (text, indexes) => {
    expect([...parseIndexes(text, 8)]).toEqual(indexes);
    expect(formatIndexes([...indexes].reverse())).toBe(text);
  });

  it.each([
    ['1-7', [1, 2]],
    ['0,5', [0]],
    ['2-99999999999999', [2]],
    ['1-2,7-3', [1, 2]],
  ])('of %j are limited to the number of completions', (text, indexes) => {
    expect([...parseIndexes(text, 3)]).toEqual(indexes);
  });

  it('are assigned from the lowest free index', () => {
    expect(pendingIndexes(new Set([0, 2]), 5, 2)).toEqual([1, 3]);
    expect(pendingIndexes(new Set([0, 2]), 3, 9)).toEqual([1]);
  });
});
