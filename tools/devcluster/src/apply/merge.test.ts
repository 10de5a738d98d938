import { describe, expect, it } from '@jest/globals';
import type { Json } from '../schema/types.js';
import { compareTyped } from './compare.js';
import { mergeTyped } from './merge.js';
import { gizmo, gizmoSchema } from './testing/gizmo.js';
import { objectType } from './types.js';

const type = objectType(gizmoSchema);

describe('mergeTyped', () => {
  it.each<[string, string, string]>([
    ['abc', 'abc', 'abc'],
    ['abc', 'b', 'abc'],
    ['axb', 'ba', 'xba'],
    ['axb', 'nab', 'naxb'],
    ['xa', 'na', 'xna'],
    ['bxa', 'ab', 'xab'],
    ['ax', 'an', 'axn'],
    ['', 'ba', 'ba'],
    ['ab', 'cd', 'abcd'],
    ['abcd', 'dxb', 'acdxb'],
  ])('merges the set %s with %s into %s', (live, applied, merged) => {
    const tags = ([...list]: string): Record<string, Json> => gizmo({ tags: list });
    expect(mergeTyped(tags(live), tags(applied), type)).toEqual(tags(merged));
  });

  it('replaces atomic values, and keeps duplicate live items', () => {
    const live = gizmo({ args: ['a'], selector: { x: '1' }, tags: ['a', 'b', 'a'] });
    const applied = gizmo({ args: ['b'], selector: { y: '2' }, tags: ['c'] });
    expect(mergeTyped(live, applied, type)['spec']).toEqual({
      args: ['b'],
      selector: { y: '2' },
      tags: ['a', 'b', 'a', 'c'],
    });
  });

  it('uses a value of another type from the configuration', () => {
    expect(mergeTyped(gizmo({ blob: { x: { a: 1 } } }), gizmo({ blob: { x: 2 } }), type)['spec']).toEqual({
      blob: { x: 2 },
    });
  });
});

describe('compareTyped', () => {
  const compare = (before: Json, after: Json): Record<string, unknown> => {
    const sets = compareTyped({ spec: before }, { spec: after }, type);
    return Object.fromEntries(
      Object.entries(sets).map(([name, set]) => [name, (set as typeof sets.added).toFieldsV1()]),
    );
  };
  const none = { added: {}, modified: {}, removed: {} };

  it('ignores the order of keys', () => {
    expect(
      compare({ size: 'S', labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' }, size: 'S' }),
    ).toEqual(none);
  });

  it('reports both sides of a value that changes its type', () => {
    expect(compare({ blob: { x: { a: 1 } } }, { blob: { x: 1 } })).toEqual({
      ...none,
      modified: { 'f:spec': { 'f:blob': { 'f:x': {} } } },
      removed: { 'f:spec': { 'f:blob': { 'f:x': { 'f:a': {} } } } },
    });
  });

  it('treats null and empty as values', () => {
    expect(compare({ labels: {}, size: null }, { labels: null })).toEqual({
      ...none,
      modified: { 'f:spec': { 'f:labels': {} } },
      removed: { 'f:spec': { 'f:size': {} } },
    });
  });

  it('compares items with the same key as one value', () => {
    const item = (element: object): object => ({ 'f:spec': { 'f:ports': element } });
    const key = 'k:{"port":1,"protocol":"TCP"}';
    const [a, b] = [
      { port: 1, name: 'a' },
      { port: 1, name: 'b' },
    ];
    expect(compare({ ports: [a, b] }, { ports: [a, b] })).toEqual(none);
    expect(compare({ ports: [a, b] }, { ports: [b, a] })).toEqual({ ...none, modified: item({ [key]: {} }) });
    const all = { '.': {}, 'f:name': {}, 'f:port': {} };
    expect(compare({ ports: [a] }, { ports: [a, b] })).toEqual({
      ...none,
      removed: item({ [key]: all }),
      added: item({ [key]: {} }),
    });
    expect(compare({ ports: [a, b] }, { ports: [b] })).toEqual({
      ...none,
      added: item({ [key]: all }),
      removed: item({ [key]: {} }),
    });
  });
});
