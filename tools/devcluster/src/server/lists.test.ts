import { beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, metadataOf, useCluster } from '../testing/harness.js';
import type { Reply } from '../testing/client.js';
import type { KubeObject } from '../object.js';

const cms = '/api/v1/namespaces/lists/configmaps';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const api = useCluster();

beforeAll(async () => {
  await api.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'lists' },
  });
  for (const n of [0, 1, 2, 3, 4]) {
    await api.create(cms, configMap(`l${String(n)}`, { n: '' }, { labels: { set: 'l', n: String(n) } }));
  }
});

const names = (reply: Reply): string[] =>
  (reply.body['items'] as KubeObject[]).map(({ metadata }) => metadata.name);

describe('list', () => {
  it('filters by labels and fields', async () => {
    expect(names(await api.get(`${cms}?labelSelector=${encodeURIComponent('n in (1,3),set')}`))).toEqual([
      'l1',
      'l3',
    ]);
    expect(names(await api.get(`${cms}?fieldSelector=metadata.name%3Dl2`))).toEqual(['l2']);
    expect(names(await api.get('/api/v1/configmaps?labelSelector=set'))).toHaveLength(5);
    const unknown = await api.get(`${cms}?fieldSelector=data.k%3D1`);
    expect([unknown.status, unknown.body['message']]).toEqual([
      400,
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ]);
  });

  it('pages through a consistent state', async () => {
    const first = await api.get(`${cms}?labelSelector=set&limit=2`);
    expect(names(first)).toEqual(['l0', 'l1']);
    expect(metadataOf(first)).not.toHaveProperty('remainingItemCount');
    await api.create(cms, configMap('l11', {}, { labels: { set: 'l' } }));
    const token = String(metadataOf(first)['continue']);
    const second = await api.get(`${cms}?labelSelector=set&limit=2&continue=${token}`);
    expect(names(second)).toEqual(['l2', 'l3']);
    expect(metadataOf(second).resourceVersion).toBe(metadataOf(first).resourceVersion);
    const last = await api.get(
      `${cms}?labelSelector=set&limit=2&continue=${String(metadataOf(second)['continue'])}`,
    );
    expect([names(last), metadataOf(last)['continue']]).toEqual([['l4'], undefined]);
    await api.remove(`${cms}/l11`);
  });

  it('counts the remaining objects without selectors', async () => {
    const page = await api.get(`${cms}?limit=4`);
    expect(metadataOf(page)['remainingItemCount']).toBe(2);
  });

  it('returns 410 with another token when the state of the first page is compacted', async () => {
    const page = await api.get(`${cms}?labelSelector=set&limit=2`);
    await api.patch(`${cms}/l4`, { data: { changed: '' } });
    api.cluster.compact();
    const gone = await api.get(
      `${cms}?labelSelector=set&limit=2&continue=${String(metadataOf(page)['continue'])}`,
    );
    expect([gone.status, gone.body['reason']]).toEqual([410, 'Expired']);
    const rest = await api.get(`${cms}?labelSelector=set&continue=${String(metadataOf(gone)['continue'])}`);
    expect(names(rest)).toEqual(['l2', 'l3', 'l4']);
  });

  it.each([
    [
      'continue=abc',
      400,
      `invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value`,
    ],
    ['labelSelector=a%3D%3D%3Db', 400, `unable to parse requirement: found '=', expected: identifier`],
    [
      'resourceVersionMatch=Exact',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
  ])('refuses ?%s', async (query, code, message) => {
    const reply = await api.get(`${cms}?${query}`);
    expect([reply.status, reply.body['message']]).toEqual([code, message]);
  });

  it('returns past states on demand, and waits for future states up to a timeout', async () => {
    const before = await api.get(cms);
    await api.create(cms, configMap('later'));
    const version = metadataOf(before).resourceVersion;
    const exact = await api.get(`${cms}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    expect(names(exact)).toEqual(names(before));
    const atLeast = await api.get(`${cms}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
    expect(names(atLeast)).toContain('later');
    const future = await api.get(`${cms}?resourceVersion=99999999`);
    expect([future.status, future.headers['retry-after'], future.body['reason']]).toEqual([
      504,
      '1',
      'Timeout',
    ]);
  });
});

describe('list in other shapes', () => {
  it('returns a table with the columns of the kind', async () => {
    const { body } = await api.get(`${cms}?labelSelector=n%3D1`, { accept: table });
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: 'Data', type: 'string', format: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', priority: 0 },
      ],
      rows: [
        {
          cells: ['l1', 1, expect.any(String)],
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'l1' } },
        },
      ],
    });
  });

  it('includes whole objects, or none, in the rows on demand', async () => {
    const { body } = await api.get(`${cms}/l1?includeObject=Object`, { accept: table });
    expect(body['rows']).toMatchObject([{ object: { kind: 'ConfigMap', data: { n: '' } } }]);
    const none = await api.get(`${cms}/l1?includeObject=None`, { accept: table });
    expect((none.body['rows'] as object[])[0]).not.toHaveProperty('object');
  });

  it('returns lists of metadata only', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const { body } = await api.get(`${cms}?labelSelector=n%3D1`, { accept });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'l1' } }],
    });
    expect((body['items'] as object[])[0]).not.toHaveProperty('data');
  });
});

describe('deletecollection', () => {
  it('deletes and returns the objects that the selector matches', async () => {
    const deleted = await api.remove(`${cms}?labelSelector=set`);
    expect(names(deleted)).toEqual(['l0', 'l1', 'l2', 'l3', 'l4']);
    expect(names(await api.get(`${cms}?labelSelector=set`))).toEqual([]);
    expect((await api.get(`${cms}/kube-root-ca.crt`)).status).toBe(200);
  });
});
