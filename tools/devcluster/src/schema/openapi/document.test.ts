import { describe, expect, test } from '@jest/globals';
import { openApiDocument, openApiIndex } from './document.js';
import type { OpenApiGroupVersion } from './model.js';
import { int64, map, object, string } from '../dsl.js';
import { isObject } from '../json.js';

const custom: OpenApiGroupVersion = {
  group: 'test.dev',
  version: 'v1',
  kinds: [
    {
      kind: 'Box',
      plural: 'boxes',
      namespaced: true,
      schema: object({ spec: object({ size: int64('How big it is.') }, 'What is wanted.') }, 'A box.'),
      subresources: [
        { name: 'status' },
        { name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
      ],
    },
    { kind: 'Blob', plural: 'blobs', namespaced: false },
  ],
};
const core: OpenApiGroupVersion = {
  group: '',
  version: 'v1',
  kinds: [
    {
      kind: 'ConfigMap',
      plural: 'configmaps',
      namespaced: true,
      strategicMerge: true,
      schema: object({ data: map(string()) }),
    },
  ],
};

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

describe('a document', () => {
  test.each([custom, core])('refers only to its own schemas: $group', (groupVersion) => {
    const document = openApiDocument(groupVersion);
    const names = references(document).map((ref) => ref.replace('#/components/schemas/', ''));
    expect(names).not.toHaveLength(0);
    expect(names.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  });

  test('publishes the schema of a kind with its descriptions and its type', () => {
    expect(openApiDocument(custom).components.schemas['dev.test.v1.Box']).toMatchObject({
      type: 'object',
      description: 'A box.',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: {
          description: 'What is wanted.',
          properties: { size: { type: 'integer', description: 'How big it is.' } },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'test.dev', version: 'v1', kind: 'Box' }],
    });
  });

  test('has the paths of namespaced and cluster kinds and of subresources', () => {
    expect(Object.keys(openApiDocument(custom).paths).sort()).toEqual([
      '/apis/test.dev/v1/blobs',
      '/apis/test.dev/v1/blobs/{name}',
      '/apis/test.dev/v1/boxes',
      '/apis/test.dev/v1/namespaces/{namespace}/boxes',
      '/apis/test.dev/v1/namespaces/{namespace}/boxes/{name}',
      '/apis/test.dev/v1/namespaces/{namespace}/boxes/{name}/scale',
      '/apis/test.dev/v1/namespaces/{namespace}/boxes/{name}/status',
    ]);
  });

  test.each([
    [custom, '/apis/test.dev/v1/namespaces/{namespace}/boxes/{name}', 'Box', false],
    [core, '/api/v1/namespaces/{namespace}/configmaps/{name}', 'ConfigMap', true],
  ])('describes how objects are patched', (groupVersion, path, kind, strategic) => {
    const { patch } = openApiDocument(groupVersion).paths[path] ?? {};
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: groupVersion.group, version: 'v1', kind },
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]),
    });
    const content = (patch as { requestBody: { content: object } }).requestBody.content;
    expect(Object.hasOwn(content, 'application/strategic-merge-patch+json')).toBe(strategic);
    expect(content).toHaveProperty(['application/apply-patch+yaml']);
  });

  test('names the type of the objects of a subresource', () => {
    expect(
      openApiDocument(custom).paths['/apis/test.dev/v1/namespaces/{namespace}/boxes/{name}/scale'],
    ).toMatchObject({
      get: { 'x-kubernetes-group-version-kind': { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
    });
  });
});

describe('the index', () => {
  test('links to each group version', () => {
    const { paths } = openApiIndex([core, custom]);
    expect(Object.keys(paths)).toEqual(['api/v1', 'apis/test.dev/v1']);
    expect(paths['apis/test.dev/v1']?.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/test\.dev\/v1\?hash=[0-9A-F]{128}$/,
    );
  });

  test('has a new address only when a document changes', () => {
    const address = (groupVersion: OpenApiGroupVersion): unknown =>
      openApiIndex([groupVersion]).paths['api/v1'];
    expect(address({ ...core })).toEqual(address(core));
    expect(address({ ...core, kinds: [] })).not.toEqual(address(core));
  });
});
