import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@interlock/api';
import type { CacheEvent } from '../cache/types.js';
import { annotationsChanged, generationChanged, labelsChanged, or } from './predicates.js';

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } };
}

function updated(before: Partial<ObjectMeta>, after: Partial<ObjectMeta>): CacheEvent<KubeObject> {
  return { type: 'updated', old: object(before), object: object(after) };
}

const added: CacheEvent<KubeObject> = { type: 'added', object: object({}), initial: false };
const deleted: CacheEvent<KubeObject> = { type: 'deleted', object: object({}) };

describe('predicates', () => {
  it.each([
    ['a new generation', generationChanged, updated({ generation: 1 }, { generation: 2 }), true],
    [
      'the same generation',
      generationChanged,
      updated({ generation: 1, labels: { a: '1' } }, { generation: 1 }),
      false,
    ],
    [
      'a deletion that began',
      generationChanged,
      updated({ generation: 1 }, { generation: 1, deletionTimestamp: 't' }),
      true,
    ],
    ['an added label', labelsChanged(), updated({}, { labels: { a: '1' } }), true],
    ['a removed label', labelsChanged(), updated({ labels: { a: '1' } }, {}), true],
    [
      'unchanged labels',
      labelsChanged(),
      updated({ labels: { a: '1' } }, { labels: { a: '1' }, generation: 2 }),
      false,
    ],
    [
      'a label that was not requested',
      labelsChanged('b'),
      updated({ labels: { a: '1' } }, { labels: { a: '2' } }),
      false,
    ],
    [
      'a changed annotation',
      annotationsChanged(),
      updated({ annotations: { a: '1' } }, { annotations: { a: '2' } }),
      true,
    ],
    [
      'a requested annotation',
      annotationsChanged('a'),
      updated({ annotations: { a: '1' } }, { annotations: { a: '2' } }),
      true,
    ],
    [
      'an annotation that was not requested',
      annotationsChanged('b'),
      updated({ annotations: { a: '1' } }, { annotations: { a: '2' } }),
      false,
    ],
    [
      'two predicates of which one must pass',
      or(generationChanged, labelsChanged()),
      updated({ generation: 1 }, { generation: 2 }),
      true,
    ],
  ])('filter events: %s', (_case, predicate, event, passes) => expect(predicate(event)).toBe(passes));

  it.each([generationChanged, labelsChanged('a'), annotationsChanged('a')])(
    'pass adds and deletes',
    (predicate) => {
      expect([predicate(added), predicate(deleted)]).toEqual([true, true]);
    },
  );
});
