import { describe, expect, it } from '@jest/globals';
import { humanDuration } from './age.js';
import { compileJsonPath } from './jsonpath.js';

describe('compileJsonPath', () => {
  const value = {
    spec: { size: 'S', 'a.b': 1, list: [{ n: 1 }, { n: 2 }] },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Synced', status: 'False', count: 3 },
      ],
    },
  };

  it.each([
    ['.spec.size', ['S']],
    ['{.spec.size}', ['S']],
    ['$.spec.size', ['S']],
    ['.spec.none', []],
    [".spec['a.b']", [1]],
    ['.spec.a\\.b', [1]],
    ['.spec.list[0].n', [1]],
    ['.spec.list[-1].n', [2]],
    ['.spec.list[*].n', [1, 2]],
    [".status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.status.conditions[?(@.type == "Synced")].status', ['False']],
    ['.status.conditions[?(@.count>=3)].type', ['Synced']],
    ['.status.conditions[?(@.count)].type', ['Synced']],
    [".status.conditions[?(@.type!='Ready')].type", ['Synced']],
  ])('compiles %s', (path, expected) => {
    expect(compileJsonPath(path)?.(value)).toEqual(expected);
  });

  it.each(['spec', '..size', '.spec[', '.spec[?(size)]'])('does not support %s', (path) => {
    expect(compileJsonPath(path)).toBeUndefined();
  });
});

describe('humanDuration', () => {
  it.each([
    [-5, '<invalid>'],
    [-0.5, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [192, '3m12s'],
    [600, '10m'],
    [179 * 60, '179m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 240, '3h4m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [48 * 3600, '2d'],
    [50 * 3600, '2d2h'],
    [192 * 3600, '8d'],
    [729 * 86400, '729d'],
    [730 * 86400, '2y'],
    [800 * 86400, '2y70d'],
    [3000 * 86400, '8y'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(humanDuration(seconds)).toBe(text);
  });
});
