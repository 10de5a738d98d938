import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { branchRef, checkRef, checkUrl, pathParts, withoutUserInfo } from './names.js';

test.each(['main', 'environments/dev-next', 'feature/é', 'a.b', '@x', "quote'"])('%j is a branch', (name) => {
  expect(branchRef(name)).toBe(`refs/heads/${name}`);
});

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
])('%j is no branch', (name, problem) => {
  expect(() => branchRef(name)).toThrow(
    expect.objectContaining({
      type: 'Invalid',
      reason: 'RefNameInvalid',
      message: expect.stringContaining(problem),
    }),
  );
});

test('a reference begins with refs/', () => {
  for (const name of ['HEAD', 'main', '--upload-pack=x'])
    expect(() => checkRef(name)).toThrow('must begin with refs/');
});

test('property: what is accepted, git accepts', () => {
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
  ['https://github.com/o/r.git', ['https']],
  ['http://10.0.0.1:8080/r', ['https', 'http']],
  ['ssh://git@github.com/o/r', ['ssh']],
  ['file:///srv/r.git', ['file']],
] as const)('%s is allowed among %j', (url, transports) => {
  expect(checkUrl(url, transports)).toBe(url);
});

test.each([
  ['http://h/r', 'must use one of: https'],
  ['ext::sh -c touch% /tmp/x', 'must use one of'],
  ['file:///etc', 'must use one of'],
  ['--upload-pack=x', 'is not a URL'],
  ['git@github.com:o/r', 'is not a URL'],
  ['https:h/r', 'must use one of'],
  ['https://u:secret@h/r', 'must not carry credentials'],
  ['https://token@h/r', 'must not carry credentials'],
  ['https://h/a b', 'control character or space'],
  ['https://h/a\nb', 'control character or space'],
  ['https://-oProxyCommand=x/r', 'no valid host'],
])('%j is refused', (url, problem) => {
  expect(() => checkUrl(url, ['https'])).toThrow(
    expect.objectContaining({
      type: 'Invalid',
      reason: 'UrlInvalid',
      message: expect.stringContaining(problem),
    }),
  );
});

test('errors do not show the credentials of a URL', () => {
  for (const url of ['https://u:cAnArY@h/r', 'gopher://u:cAnArY@h/r', 'https://u:cAnArY@h:x/r']) {
    expect(() => checkUrl(url, ['https'])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('cAnArY') }),
    );
  }
  expect(withoutUserInfo('see https://a:b@h/x and ssh://git@g/y')).toBe(
    'see https://***@h/x and ssh://***@g/y',
  );
});

test.each([
  ['', []],
  ['.', []],
  ['a/b', ['a', 'b']],
])('pathParts(%j)', (path, parts) => {
  expect(pathParts(path)).toEqual(parts);
});

test.each(['/a', 'a//b', '../a', 'a/./b', 'a/..', 'a\nb', 'a\0b', 'a/'])('the path %j is refused', (path) => {
  expect(() => pathParts(path)).toThrow(expect.objectContaining({ type: 'Invalid', reason: 'PathInvalid' }));
});

function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
