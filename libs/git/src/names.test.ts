import { expect, test } from '@jest/globals';
import { checkUrl, pathParts, withoutUserInfo } from './names.js';

test.each([
  ['https://github.com/o/r.git', ['https']],
  ['http://10.0.0.1:8080/r', ['https', 'http']],
  ['ssh://git@github.com/o/r', ['ssh']],
  ['file:///srv/r.git', ['file']],
] as const)('allows the URL %s with the protocols %j', (url, transports) => {
  expect(checkUrl(url, transports)).toBe(url);
});

test.each([
  ['http://h/r', 'must use one of: https'],
  ['ext::sh -c touch% /tmp/x', 'must use one of'],
  ['file:///etc', 'must use one of'],
  ['--upload-pack=x', 'is not a URL'],
  ['git@github.com:o/r', 'is not a URL'],
  ['https:h/r', 'must use one of'],
  ['https://u:secret@h/r', 'must not contain credentials'],
  ['https://token@h/r', 'must not contain credentials'],
  ['https://h/a b', 'control character or space'],
  ['https://h/a\nb', 'control character or space'],
  ['https://-oProxyCommand=x/r', 'no valid host'],
])('refuses the URL %j', (url, problem) => {
  expect(() => checkUrl(url, ['https'])).toThrow(
    expect.objectContaining({
      type: 'Invalid',
      reason: 'UrlInvalid',
      message: expect.stringContaining(problem),
    }),
  );
});

test('omits the credentials of a URL in errors', () => {
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
])('returns the parts of the path %j', (path, parts) => {
  expect(pathParts(path)).toEqual(parts);
});

test.each(['/a', 'a//b', '../a', 'a/./b', 'a/..', 'a\nb', 'a\0b', 'a/'])('refuses the path %j', (path) => {
  expect(() => pathParts(path)).toThrow(expect.objectContaining({ type: 'Invalid', reason: 'PathInvalid' }));
});
