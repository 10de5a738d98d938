import { describe, expect, it } from '@jest/globals';
import { sha } from '../promotion/testing/builders.js';
import { Evaluations } from './evaluations.js';

const key = { namespace: 'team', name: 'app-dev' };
const [first, second] = [sha('b1'), sha('b2')];

describe('the wait for the rules', () => {
  it('lasts from the first record for the commit', () => {
    const evaluations = new Evaluations();
    expect(evaluations.awaitedSince(key, first)).toBeUndefined();
    evaluations.begin(key, first, 1_000);
    evaluations.begin(key, first, 2_000);
    expect(evaluations.awaitedSince(key, first)).toBe(1_000);
  });

  it('starts again for another commit', () => {
    const evaluations = new Evaluations();
    evaluations.begin(key, first, 1_000);
    expect(evaluations.awaitedSince(key, second)).toBeUndefined();
    evaluations.begin(key, second, 2_000);
    expect(evaluations.awaitedSince(key, second)).toBe(2_000);
  });

  it('belongs to one ProposedCommit, until it is forgotten', () => {
    const evaluations = new Evaluations();
    evaluations.begin(key, first, 1_000);
    expect(evaluations.awaitedSince({ ...key, name: 'app-test' }, first)).toBeUndefined();
    evaluations.forget(key);
    expect(evaluations.awaitedSince(key, first)).toBeUndefined();
  });
});
