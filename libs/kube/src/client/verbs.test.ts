import { silentLog, systemClock } from '@interlock/base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { parse } from 'yaml';
import { until } from '../testing/until.js';
import { createCache } from '../cache/cache.js';
import { trackWrites } from '../cache/write-tracker.js';
import { createClient } from './client.js';
import { ConfigMap, CustomResourceDefinition, Namespace } from './kinds.js';
import type { Client } from './types.js';
import { Widget } from '../testing/widget.js';

let cluster: DevCluster;
let client: Client;
let namespace: string;
let count = 0;

beforeAll(async () => {
  cluster = await startDevCluster();
  const kubeConfig = parse(cluster.kubeconfig) as object;
  client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'tester' });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});
beforeEach(async () => {
  namespace = `verbs-${count++}`;
  await client.create(Namespace, { metadata: { name: namespace } });
});

const create = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  client.create(ConfigMap, { metadata: { name, namespace, labels }, data });

describe('the client, against an API server', () => {
  test('creates, gets, updates, patches and deletes objects', async () => {
    const created = await create('x', { a: '1' });
    expect(created.metadata.uid).toBeDefined();
    expect(created.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update' }]);
    expect(await client.get(ConfigMap, { namespace, name: 'x' })).toEqual(created);

    const updated = await client.update(ConfigMap, { ...created, data: { a: '2' } });
    await expect(client.update(ConfigMap, { ...created, data: { a: '3' } })).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'Conflict',
    });
    const key = { namespace, name: 'x' };
    const merged = await client.patch(ConfigMap, key, { type: 'merge', patch: { data: { b: '1' } } });
    expect(merged.data).toEqual({ a: '2', b: '1' });
    const add = [{ op: 'add', path: '/data/c', value: '1' }];
    expect((await client.patch(ConfigMap, key, { type: 'json', patch: add })).data).toHaveProperty('c');
    const strategic = { type: 'strategic', patch: { data: { c: null } } } as const;
    expect((await client.patch(ConfigMap, key, strategic)).data).not.toHaveProperty('c');

    const stale = { resourceVersion: updated.metadata.resourceVersion ?? '' };
    await expect(client.delete(ConfigMap, key, stale)).rejects.toMatchObject({ type: 'Conflict' });
    await client.delete(ConfigMap, key, { uid: created.metadata.uid ?? '', propagationPolicy: 'Background' });
    await expect(client.get(ConfigMap, key)).rejects.toMatchObject({ type: 'NotFound', code: 404 });
  });

  test('reports a conflict when the object of an apply or a patch was recreated', async () => {
    const key = { namespace, name: 'x' };
    const { uid } = (await create('x')).metadata;
    await client.delete(ConfigMap, key);
    const recreated = await create('x');
    const conflict = { type: 'Conflict', code: 422, causes: [{ field: 'metadata.uid' }] };
    const configuration = { metadata: { ...key, uid }, data: { a: '1' } };
    await expect(client.apply(ConfigMap, configuration)).rejects.toMatchObject(conflict);
    for (const type of ['merge', 'strategic'] as const) {
      const change = { type, patch: { metadata: { uid }, data: { a: '1' } } };
      await expect(client.patch(ConfigMap, key, change)).rejects.toMatchObject(conflict);
    }
    expect(await client.get(ConfigMap, key)).toEqual(recreated);
  });

  test('changes nothing in a dry run', async () => {
    const object = { metadata: { name: 'x', namespace } };
    expect((await client.create(ConfigMap, object, { dryRun: true })).metadata.name).toBe('x');
    expect((await client.list(ConfigMap, { namespace, fieldSelector: 'metadata.name=x' })).items).toEqual([]);
  });

  test('applies objects, names the field of a conflict, takes over the field with force, and keeps the version on a repetition', async () => {
    const apply = (a: string, fieldManager: string, force?: boolean) =>
      client.apply(ConfigMap, { metadata: { name: 'x', namespace }, data: { a } }, { fieldManager, force });
    await apply('1', 'one');
    await expect(apply('2', 'two', false)).rejects.toMatchObject({
      type: 'Conflict',
      causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }],
    });
    const forced = await apply('2', 'two');
    expect(forced.data).toEqual({ a: '2' });
    expect((await apply('2', 'two')).metadata.resourceVersion).toBe(forced.metadata.resourceVersion);
  });

  test('reports the causes of an invalid object', async () => {
    const object = { metadata: { name: 'Not_A_Name', namespace } };
    await expect(client.create(ConfigMap, object)).rejects.toMatchObject({
      type: 'Invalid',
      code: 422,
      causes: [{ field: 'metadata.name' }],
    });
  });

  test('writes the subresources status and scale', async () => {
    const int = { type: 'integer' };
    const replicas = { type: 'object', properties: { replicas: int } };
    const openAPIV3Schema = { type: 'object', properties: { spec: replicas, status: replicas } };
    const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
    await client.create(CustomResourceDefinition, {
      metadata: { name: 'widgets.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
        versions: [{ ...version, subresources: { status: {}, scale: paths } }],
      },
    });
    await until(async () => {
      const { status } = await client.get(CustomResourceDefinition, { name: 'widgets.example.org' });
      return (
        status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false
      );
    });
    const key = { namespace, name: 'x' };
    await client.create(Widget, { metadata: key, spec: { replicas: 1 } });
    const applied = await client.apply(
      Widget,
      { metadata: key, spec: { replicas: 7 }, status: { replicas: 1 } },
      { fieldManager: 'me', subresource: 'status' },
    );
    expect(applied).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } });
    const patch = { type: 'merge', patch: { spec: { replicas: 2 } } } as const;
    await client.patch(Widget, key, patch, { subresource: 'scale' });
    expect(await client.get(Widget, key)).toMatchObject({ spec: { replicas: 2 } });
  });

  test('reads lists page by page and selects objects', async () => {
    for (let n = 0; n < 7; n++) await create(`c${n}`, {}, { odd: String(n % 2) });
    const { items } = await client.list(ConfigMap, { namespace, limit: 2, labelSelector: 'odd=1' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c1', 'c3', 'c5']);
    const sizes: number[] = [];
    for await (const page of client.listPages(ConfigMap, { namespace, limit: 3, labelSelector: 'odd' })) {
      sizes.push(page.items.length);
    }
    expect(sizes).toEqual([3, 3, 1]);
    const partial = await client.list(ConfigMap, { namespace, metadataOnly: true, labelSelector: 'odd' });
    expect(partial.items[0]).not.toHaveProperty('data');
    expect(partial.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('resolves a kind with its plural and scope', async () => {
    expect(await client.resolveKind('v1', 'ConfigMap')).toEqual(ConfigMap);
    expect(await client.resolveKind('v1', 'Gizmo')).toBeUndefined();
    expect(await client.resolveKind('gizmos.example/v1', 'Gizmo')).toBeUndefined();
    await expect(client.resolveKind('../v1', 'ConfigMap')).rejects.toMatchObject({ type: 'Invalid' });
  });

  test('reads JSON and text with raw requests', async () => {
    expect(await client.raw({ method: 'GET', path: '/version' })).toHaveProperty('gitVersion');
    expect(await client.raw({ method: 'GET', path: '/readyz', as: 'text' })).toBe('ok');
  });
});

describe('a cache, against an API server', () => {
  let stop: AbortController;
  let ran: Promise<void>;

  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await ran;
  });

  test('reports an object that leaves the selection as deleted, and an object that enters the selection as added', async () => {
    const cache = createCache(
      client,
      ConfigMap,
      { namespace, labelSelector: 'in=yes', metadataOnly: true },
      { clock: systemClock, random: Math.random, log: silentLog },
    );
    const events: string[] = [];
    cache.subscribe((event) => events.push(`${event.type} ${event.object.metadata.name}`));
    await create('x', { a: '1' }, { in: 'yes' });
    ran = cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    const label = (value: string) =>
      client.patch(
        ConfigMap,
        { namespace, name: 'x' },
        { type: 'merge', patch: { metadata: { labels: { in: value } } } },
      );
    await label('no');
    await label('yes');
    await until(() => events.length === 3);
    expect(events).toEqual(['added x', 'deleted x', 'added x']);
    expect(Object.keys(cache.list()[0]!)).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  test('contains each write once the tracker treats the cache as fresh', async () => {
    const tracker = trackWrites(client, { clock: systemClock });
    const cache = createCache(
      client,
      ConfigMap,
      { namespace },
      { clock: systemClock, random: Math.random, log: silentLog },
    );
    ran = cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    const key = { namespace, name: 'x' };
    const isFresh = () => !tracker.isStale(ConfigMap, key, cache);
    for (let n = 0; n < 20; n++) {
      const applied = await tracker.client.apply(
        ConfigMap,
        { metadata: key, data: { n: String(n) } },
        { fieldManager: 'me' },
      );
      await until(isFresh);
      expect(cache.get(key)?.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
      if (n % 4 !== 3) continue;
      await tracker.client.delete(ConfigMap, key);
      await until(isFresh);
      expect(cache.get(key)).toBeUndefined();
    }
  });
});
