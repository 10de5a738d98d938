import { describe, expect, it } from '@jest/globals';
import { branchRef } from '@interlock/api';
import fc from 'fast-check';
import { sha } from '../promotion/testing/builders.js';
import { revertBranch } from './branch.js';

const of = sha('abc1234def');

describe('the branch of a revert', () => {
  it('names the environment and the rejected commit', () => {
    expect(revertBranch('back', 'environments/test', of, [])).toBe(
      'interlock/revert/environments/test-abc1234',
    );
  });

  it('differs from the branch of another RevertCommit', () => {
    const plain = revertBranch('one', 'test', of, []);
    const second = revertBranch('two', 'test', of, [undefined, plain]);
    expect(second).toMatch(/^interlock\/revert\/test-abc1234-[0-9a-f]{8}$/);
    expect(revertBranch('three', 'test', of, [plain])).not.toBe(second);
  });

  it('is a unique branch name of limited length for every environment', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$/);
    const environment = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(environment, environment, (one, other) => {
        const branch = revertBranch('back', one, of, []);
        expect(() => branchRef(branch)).not.toThrow();
        expect(branch.length).toBeLessThan(200);
        expect(branch === revertBranch('back', other, of, [])).toBe(one === other);
      }),
    );
  });
});
