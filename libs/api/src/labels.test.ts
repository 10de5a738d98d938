import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesLabels } from './labels.js';

describe('matchesLabels', () => {
  it.each([
    ['no requirement', {}, true],
    ['an equal label', { matchLabels: { app: 'shop' } }, true],
    ['another value', { matchLabels: { app: 'blog' } }, false],
    ['one of two labels', { matchLabels: { app: 'shop', tier: 'web' } }, false],
    ['In', { matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['blog', 'shop'] }] }, true],
    [
      'In without the key',
      { matchExpressions: [{ key: 'x', operator: 'In' as const, values: ['a'] }] },
      false,
    ],
    ['NotIn', { matchExpressions: [{ key: 'app', operator: 'NotIn' as const, values: ['shop'] }] }, false],
    [
      'NotIn without the key',
      { matchExpressions: [{ key: 'x', operator: 'NotIn' as const, values: ['a'] }] },
      true,
    ],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' as const }] }, true],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' as const }] }, false],
    [
      'labels and expressions, of which one fails',
      { matchLabels: { app: 'shop' }, matchExpressions: [{ key: 'x', operator: 'Exists' as const }] },
      false,
    ],
  ])('evaluates %s', (_case, selector, expected) => {
    expect(matchesLabels(selector, { app: 'shop', env: 'dev' })).toBe(expected);
  });

  it('does not match properties that every object inherits', () => {
    const asked = (operator: 'Exists' | 'DoesNotExist') =>
      matchesLabels({ matchExpressions: [{ key: 'constructor', operator }] }, {});
    expect([asked('Exists'), asked('DoesNotExist')]).toEqual([false, true]);
  });

  it('treats NotIn as the opposite of In, and DoesNotExist as the opposite of Exists', () => {
    const key = fc.constantFrom('a', 'b');
    const value = fc.constantFrom('x', 'y', 'z');
    fc.assert(
      fc.property(fc.dictionary(key, value), key, fc.array(value), (labels, of, values) => {
        const matches = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist') =>
          matchesLabels({ matchExpressions: [{ key: of, operator, values }] }, labels);
        expect(matches('NotIn')).toBe(!matches('In'));
        expect(matches('DoesNotExist')).toBe(!matches('Exists'));
      }),
    );
  });
});
