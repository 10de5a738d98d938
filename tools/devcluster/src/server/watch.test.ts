import { describe, expect, it } from '@jest/globals';
import { configMap, metadataOf, useCluster } from '../testing/harness.js';
import type { WatchEvent } from '../testing/client.js';

const cms = '/api/v1/namespaces/default/configmaps';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const api = useCluster();

const short = (events: readonly WatchEvent[]): unknown[] =>
  events.map(({ type, object }) => [type, object.metadata['name'], object['data']]);

async function revision(): Promise<string> {
  return metadataOf(await api.get(`${cms}?limit=1`)).resourceVersion;
}

const first =
  (count: number) =>
  (events: readonly WatchEvent[]): boolean =>
    events.length >= count;

describe('watch', () => {
  it('sends the events since a resourceVersion in order', async () => {
    const from = await revision();
    await api.create(cms, configMap('w', {}, { labels: { w: '1' } }));
    await api.patch(`${cms}/w`, { data: { a: '1' } });
    const left = await api.patch(`${cms}/w`, { metadata: { labels: { w: '2' } } });
    await api.remove(`${cms}/w`);
    const all = await api.client.watch(`${cms}?watch=1&resourceVersion=${from}`, first(4));
    expect(short(all)).toEqual([
      ['ADDED', 'w', undefined],
      ['MODIFIED', 'w', { a: '1' }],
      ['MODIFIED', 'w', { a: '1' }],
      ['DELETED', 'w', { a: '1' }],
    ]);
    const revisions = all.map(({ object }) => Number(object.metadata['resourceVersion']));
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(new Set(revisions).size).toBe(4);

    const selected = await api.client.watch(
      `${cms}?watch=1&resourceVersion=${from}&labelSelector=w%3D1`,
      first(3),
    );
    expect(selected.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(selected[2]?.object.metadata).toMatchObject({
      labels: { w: '1' },
      resourceVersion: metadataOf(left).resourceVersion,
    });
  });

  it('streams changes', async () => {
    const from = await revision();
    const watching = api.client.watch(
      `${cms}?watch=1&resourceVersion=${from}&fieldSelector=metadata.name%3Dlive`,
      first(2),
    );
    await api.create(cms, configMap('live'));
    await api.patch(`${cms}/live`, { data: { a: '1' } });
    expect((await watching).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED']);
  });

  it('starts with the current state without a resourceVersion, and ends at its timeout', async () => {
    await api.create(cms, configMap('present'));
    const events = await api.client.watch(
      `${cms}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dpresent`,
    );
    expect(short(events)).toEqual([['ADDED', 'present', undefined]]);
  });

  it('marks the end of the initial events with a bookmark', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await api.client.watch(`${cms}?${query}&fieldSelector=metadata.name%3Dpresent`, first(2));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events[1]?.object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: await revision() },
    });
  });

  it('sends a bookmark before it ends', async () => {
    const events = await api.client.watch(
      `${cms}?watch=1&resourceVersion=${await revision()}&allowWatchBookmarks=true&timeoutSeconds=3`,
    );
    expect(events.map(({ type, object }) => [type, object.metadata['resourceVersion']])).toEqual([
      ['BOOKMARK', await revision()],
    ]);
  });

  it('sends tables, with headings only in the first table', async () => {
    await api.create(cms, configMap('present2'));
    const events = await api.client.watch(`${cms}?watch=1`, first(2), { accept: table });
    expect(events.map(({ object }) => object['kind'])).toEqual(events.map(() => 'Table'));
    expect(events.map(({ object }) => Array.isArray(object['columnDefinitions']))).toEqual(
      events.map((_, index) => index === 0),
    );
  });

  it.each([
    [
      'resourceVersion=abc',
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      'sendInitialEvents=true',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'resourceVersionMatch=NotOlderThan',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
  ])('refuses ?%s', async (query, code, message) => {
    const reply = await api.get(`${cms}?watch=1&${query}`);
    expect([reply.status, reply.body['message']]).toEqual([code, message]);
  });
});
