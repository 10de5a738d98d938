import { describe, expect, it } from '@jest/globals';
import { branchRef } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { readDryBranch } from './dry-branch.js';
import { environment, sha } from './testing/builders.js';

const [c1, c2, c3, c4] = [sha('c1'), sha('c2'), sha('c3'), sha('c4')];
/** A commit that is merged into c3; its parent is c1. */
const side = sha('ca');
const parents = new Map([
  [c1, []],
  [c2, [c1]],
  [c3, [c2, side]],
  [c4, [c3]],
  [side, [c1]],
]);

function reaches(from: string, to: string): boolean {
  return from === to || (parents.get(from) ?? []).some((parent) => reaches(parent, to));
}

/** Reads the history above, and records the queries about ancestry. */
function history(asked: string[][]): HistoryReader {
  const line = (from: string | undefined): string[] =>
    from === undefined ? [] : [from, ...line(parents.get(from)?.[0])];
  const unused = (): Promise<never> => Promise.reject(new Error('not read here'));
  return {
    commit: unused,
    file: unused,
    note: unused,
    whole: unused,
    firstParents: (from, limit) => Promise.resolve(line(from).slice(0, limit)),
    isAncestor: (ancestor, descendant) => {
      asked.push([ancestor, descendant]);
      return Promise.resolve(reaches(descendant, ancestor));
    },
  };
}

function read(asked: string[][], ...active: string[]) {
  const environments = active.map((dry, index) => environment(`env-${index}`, dry, dry));
  return readDryBranch(history(asked), new Map([[branchRef('main'), c4]]), 'main', environments);
}

describe('a dry branch', () => {
  it.each([
    [c1, c4, true],
    [c4, c1, false],
    [c2, c3, true],
    [c3, c2, false],
    [c2, c2, true],
  ])('determines without git whether %s comes before %s', async (ancestor, descendant, answer) => {
    const asked: string[][] = [];
    const { descends } = await read(asked, c1, c2, c3);
    expect(descends(ancestor, descendant)).toBe(answer);
    expect(asked).toEqual([]);
  });

  it.each([
    [side, c3, true],
    [c1, side, true],
    [side, c2, false],
  ])('asks git when %s or %s is not on its line', async (ancestor, descendant, answer) => {
    const asked: string[][] = [];
    const { descends } = await read(asked, c1, c2, c3, side);
    expect(descends(ancestor, descendant)).toBe(answer);
    expect(asked).toContainEqual([ancestor, descendant]);
  });

  it('counts how far a commit is behind, whether it is on its line or not', async () => {
    const { behind } = await read([], c1, c4, side);
    expect([c4, c1, side].map(behind)).toEqual([0, 3, 2]);
  });
});
