import { describe, expect, it } from '@jest/globals';
import type { PromotionStrategy } from '@interlock/api';
import { sha, strategy } from '../sources/testing/builders.js';
import { NamedCommits } from './named-commits.js';

/** Returns a strategy, and how often its status has been read. */
function counted(active: Record<string, string>): { object: PromotionStrategy; reads: () => number } {
  const { status, ...rest } = strategy(active);
  let reads = 0;
  const object = {
    ...rest,
    get status() {
      reads++;
      return status;
    },
  } as PromotionStrategy;
  return { object, reads: () => reads };
}

describe('NamedCommits', () => {
  it('returns each commit that an object names, once', () => {
    const { object } = counted({ dev: sha('a'), test: sha('b'), prod: sha('a') });
    expect(new NamedCommits().in(object)).toEqual([sha('a'), sha('b')]);
  });

  it('searches an object once, however often others of its repository change', () => {
    const commits = new NamedCommits();
    const { object, reads } = counted({ dev: sha('a') });
    for (let times = 0; times < 3; times++) expect(commits.in(object)).toEqual([sha('a')]);
    expect(reads()).toBe(1);
  });

  it('searches a new version of an object', () => {
    const commits = new NamedCommits();
    expect(commits.in(counted({ dev: sha('a') }).object)).toEqual([sha('a')]);
    expect(commits.in(counted({ dev: sha('b') }).object)).toEqual([sha('b')]);
  });
});
