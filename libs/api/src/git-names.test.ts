import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { branchRef, checkRef, isBranchName, shortSHA } from './git-names.js';

test.each(['main', 'environments/dev-next', 'feature/é', 'a.b', '@x', "quote'"])(
  'accepts the branch name %j',
  (name) => {
    expect(branchRef(name)).toBe(`refs/heads/${name}`);
    expect(isBranchName(name)).toBe(true);
  },
);

test.each([
  ['', 'an empty part'],
  ['-x', 'begins with "-"'],
  ['a/-x', 'begins with "-"'],
  ['a..b', 'contains ".."'],
  ['../x', 'contains ".."'],
  ['.x', 'begins with "."'],
  ['a//b', 'an empty part'],
  ['a/', 'an empty part'],
  ['a.lock', '".lock"'],
  ['a.lock/b', '".lock"'],
  ['a b', 'a space'],
  ['a:b', 'one of'],
  ['a*', 'one of'],
  ['a^{}', 'one of'],
  ['a@{1}', 'contains "@{"'],
  ['a.', 'ends with "."'],
  ['a\nb', 'control character'],
  ['a\u007f', 'control character'],
  ['x'.repeat(1_025), 'longer than'],
])('refuses the branch name %j', (name, problem) => {
  expect(isBranchName(name)).toBe(false);
  expect(() => branchRef(name)).toThrow(
    expect.objectContaining({
      type: 'Invalid',
      reason: 'RefNameInvalid',
      message: expect.stringContaining(problem),
    }),
  );
});

test('requires a reference name to begin with refs/', () => {
  for (const name of ['HEAD', 'main', '--upload-pack=x'])
    expect(() => checkRef(name)).toThrow('must begin with refs/');
});

test('accepts only names that git accepts', () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'B', '.', '-', '@', '{', '/', '~', ' ', '\\', '*', 'é', '.lock'),
    maxLength: 6,
  });
  for (const name of fc.sample(part, { numRuns: 200, seed: 3 })) {
    const accepted = passes(() => branchRef(name));
    const byGit = passes(() => execFileSync('git', ['check-ref-format', `refs/heads/${name}`]));
    const startsWithDash = name.split('/').some((piece) => piece.startsWith('-'));
    expect({ name, accepted }).toEqual({ name, accepted: byGit && !startsWithDash });
  }
});

test.each([
  ['0123456789abcdef0123456789abcdef01234567', '0123456'],
  [undefined, 'unknown'],
])('abbreviates the SHA %s to %s', (sha, shown) => {
  expect(shortSHA(sha)).toBe(shown);
});

function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
