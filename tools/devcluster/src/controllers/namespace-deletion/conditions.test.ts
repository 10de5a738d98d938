import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { terminatingStatus, type Remainder } from './conditions.js';

const now = '2026-01-01T00:00:00Z';
const before = '2025-01-01T00:00:00Z';

function namespace(conditions: readonly { type: string; status: string }[] = []): KubeObject {
  const status = { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: before })) };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, status };
}

function texts(remainder: Partial<Remainder>): string[] {
  const { conditions } = terminatingStatus(namespace(), { objects: [], errors: [], ...remainder }, now);
  return (conditions as Record<string, string>[]).map(
    ({ type, status, reason, message }) => `${type ?? ''} ${status ?? ''} ${reason ?? ''}: ${message ?? ''}`,
  );
}

const discovered =
  'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered';
const parsed =
  'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed';
const deleted =
  'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization';
const removed = 'NamespaceContentRemaining False ContentRemoved: All content successfully removed';
const unheld =
  'NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished';

describe('terminatingStatus', () => {
  it.each<[string, Partial<Remainder>, string[]]>([
    ['that nothing remains', {}, [discovered, parsed, deleted, removed, unheld]],
    [
      'remaining objects, by resource and by finalizer',
      {
        objects: [
          { resource: 'secrets.', finalizers: ['a/x', 'b/y'] },
          { resource: 'configmaps.', finalizers: [] },
          { resource: 'secrets.', finalizers: ['b/y'] },
        ],
      },
      [
        discovered,
        parsed,
        deleted,
        'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, secrets. has 2 resource instances',
        'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/x in 1 resource instances, b/y in 2 resource instances',
      ],
    ],
    [
      'objects that end by themselves',
      { objects: [{ resource: 'pods.', finalizers: [] }] },
      [
        discovered,
        parsed,
        deleted,
        'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances',
        unheld,
      ],
    ],
    [
      'objects that cannot be deleted',
      { errors: ['b denied', 'a denied'] },
      [
        discovered,
        parsed,
        'NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a denied, b denied',
        removed,
        unheld,
      ],
    ],
  ])('reports %s', (_what, remainder, expected) => {
    expect(texts(remainder)).toEqual(expected);
  });

  it('keeps the transition time of a condition whose status does not change', () => {
    const known = [
      { type: 'NamespaceContentRemaining', status: 'True' },
      { type: 'NamespaceFinalizersRemaining', status: 'True' },
    ];
    const remainder = { objects: [{ resource: 'pods.', finalizers: [] }], errors: [] };
    const { conditions } = terminatingStatus(namespace(known), remainder, now);
    expect((conditions as Record<string, string>[]).slice(3)).toMatchObject([
      { status: 'True', lastTransitionTime: before },
      { status: 'False', lastTransitionTime: now },
    ]);
  });
});
