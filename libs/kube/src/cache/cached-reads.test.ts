import { expect, it } from '@jest/globals';
import type { Kind, KubeObject, ObjectKey } from '@interlock/api';
import { ConfigMap, Secret } from '../client/kinds.js';
import { MemoryCache } from '../testing/memory-cache.js';
import { cachedReads } from './cached-reads.js';

const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name: 'x' } };

function fixture() {
  const asked: string[] = [];
  const client = {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T> {
      asked.push(`${kind.kind} ${key.name}`);
      return { apiVersion: 'v1', kind: kind.kind, metadata: key } as KubeObject as T;
    },
  };
  return { asked, reads: cachedReads(client, [new MemoryCache(ConfigMap, map)]) };
}

it('returns an object of a cached kind from the cache', async () => {
  const { asked, reads } = fixture();
  expect(await reads.get(ConfigMap, { namespace: 'a', name: 'x' })).toBe(map);
  expect(asked).toEqual([]);
});

it('reports a cached object that does not exist as not found', async () => {
  const { asked, reads } = fixture();
  await expect(reads.get(ConfigMap, { namespace: 'b', name: 'x' })).rejects.toMatchObject({
    type: 'NotFound',
  });
  expect(asked).toEqual([]);
});

it('sends requests for other kinds to the API server', async () => {
  const { asked, reads } = fixture();
  await reads.get(Secret, { namespace: 'a', name: 'y' });
  expect(asked).toEqual(['Secret y']);
});
