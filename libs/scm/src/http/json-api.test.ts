import { describe, expect, test } from '@jest/globals';
import { pathOf } from './json-api.js';

describe('a path', () => {
  test('has each part as one', () => {
    expect(pathOf('repos', 'acme', '.github', 7)).toBe('/repos/acme/.github/7');
    expect(pathOf('a/b', '..c', 'd?e#f')).toBe('/a%2Fb/..c/d%3Fe%23f');
  });

  test.each(['.', '..'])('is not made of %j, which would lead elsewhere', (part) => {
    expect(() => pathOf('repos', part, 'user')).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });
});
