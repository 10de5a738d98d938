import { describe, expect, test } from '@jest/globals';
import { TypedError, type Kind } from '@interlock/api';
import { discoverKind, parseApiVersion } from './discovery.js';
import { ConfigMap, Namespace } from './kinds.js';
import { collectionPath, groupPath, objectPath } from './paths.js';

const hostile = [
  '',
  '/',
  'v1/',
  '/v1',
  '..',
  'apps/..',
  '../v1',
  '../../api/v1',
  'apps/v1/deployments',
  'apps/v1?watch=true',
  'apps/v1#',
  'apps/v1%2f..',
  'apps/v1\n',
  'Apps/v1',
  'v1/namespaces/kube-system/secrets',
  `${'a'.repeat(254)}/v1`,
  `apps/v${'1'.repeat(63)}`,
];

describe('the version of an API', () => {
  test.each([
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['metrics.k8s.io/v1beta1', { group: 'metrics.k8s.io', version: 'v1beta1' }],
  ])('parses %s', (text, expected) => {
    expect(parseApiVersion(text)).toEqual(expected);
  });

  test.each(hostile)('refuses %j', (text) => {
    expect(() => parseApiVersion(text)).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });
});

describe('a kind', () => {
  const paths: string[] = [];
  const client = {
    raw<R>({ path }: { path: string }): Promise<R> {
      paths.push(path);
      if (path !== '/apis/apps/v1') return Promise.reject(new TypedError('NotFound', path));
      const resources = [
        { name: 'deployments/scale', kind: 'Scale', namespaced: true },
        { name: 'deployments', kind: 'Deployment', namespaced: true },
      ];
      return Promise.resolve({ resources } as R);
    },
  };
  const discover = (apiVersion: string, kind: string) => discoverKind(client, { apiVersion, kind });

  test('is found as the API server serves it, unless it is the kind of a subresource', async () => {
    const deployments = {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      plural: 'deployments',
      namespaced: true,
    };
    expect(await discover('apps/v1', 'Deployment')).toEqual(deployments);
    expect(await discover('apps/v1', 'Scale')).toBeUndefined();
    expect(await discover('example.com/v1', 'Deployment')).toBeUndefined();
  });

  test('is not requested for a version that would change the path', async () => {
    paths.length = 0;
    for (const text of hostile) {
      await expect(discover(text, 'Deployment')).rejects.toMatchObject({ type: 'Invalid' });
    }
    expect(paths).toEqual([]);
  });
});

describe('the path of an object', () => {
  test('encodes each name as one part', () => {
    expect(objectPath(ConfigMap, { namespace: 'a', name: 'b' })).toBe('/api/v1/namespaces/a/configmaps/b');
    expect(objectPath(ConfigMap, { namespace: 'a/b', name: '../c?d#e%2f' })).toBe(
      '/api/v1/namespaces/a%2Fb/configmaps/..%2Fc%3Fd%23e%252f',
    );
    expect(collectionPath(Namespace, undefined)).toBe('/api/v1/namespaces');
    const odd: Kind = { group: 'a/b', version: 'v1?', kind: 'Odd', plural: 'odds/x', namespaced: false };
    expect(collectionPath(odd, undefined)).toBe('/apis/a%2Fb/v1%3F/odds%2Fx');
  });

  test.each(['.', '..'])('is never built from %j', (part) => {
    const invalid = expect.objectContaining({ type: 'Invalid' });
    expect(() => objectPath(ConfigMap, { namespace: 'a', name: part })).toThrow(invalid);
    expect(() => objectPath(ConfigMap, { namespace: part, name: 'a' })).toThrow(invalid);
    expect(() => groupPath({ group: part, version: 'v1' })).toThrow(invalid);
    expect(() => groupPath({ group: '', version: part })).toThrow(invalid);
    expect(() => collectionPath({ ...ConfigMap, plural: part }, 'a')).toThrow(invalid);
  });
});
