import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../schema/types.js';
import { patchedText } from './patched-text.js';

const value: JsonObject = {
  spec: {
    b: { d: 1, c: 2 },
    a: [
      { z: 1, y: 2 },
      { z: 3, y: 4 },
    ],
  },
  kind: 'X',
};

describe('patchedText', () => {
  it.each<[string, Json, string]>([
    [
      'a merge patch traverses',
      { spec: { b: 1 } },
      '{"kind":"X","spec":{"a":[{"z":1,"y":2},{"z":3,"y":4}],"b":{"d":1,"c":2}}}',
    ],
    [
      'nested merge patches traverse',
      { spec: { b: { c: 2 } } },
      '{"kind":"X","spec":{"a":[{"z":1,"y":2},{"z":3,"y":4}],"b":{"c":2,"d":1}}}',
    ],
    [
      'the paths of a JSON patch traverse',
      [{ op: 'replace', path: '/spec/a/1/z', value: 3 }],
      '{"kind":"X","spec":{"a":[{"z":1,"y":2},{"y":4,"z":3}],"b":{"d":1,"c":2}}}',
    ],
  ])('sorts the keys of the objects that %s', (_, patch, text) => {
    expect(patchedText(value, patch)).toBe(text);
  });
});
