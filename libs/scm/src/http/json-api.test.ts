import { describe, expect, test } from '@jest/globals';
import { pathOf } from './json-api.js';

describe('a path', () => {
  test('encodes each part', () => {
    expect(pathOf('repos', 'acme', '.github', 7)).toBe('/repos/acme/.github/7');
    expect(pathOf('a/b', '..c', 'd?e#f')).toBe('/a%2Fb/..c/d%3Fe%23f');
  });

  test.each(['.', '..'])('refuses %j, which would change the path', (part) => {
    expect(() => pathOf('repos', part, 'user')).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });
});
