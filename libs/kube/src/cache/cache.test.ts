import { silentLog, systemClock, type Logger } from '@interlock/base';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../client/client.js';
import { ConfigMap } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { StubObjects } from '../testing/stub-objects.js';
import { until } from '../testing/until.js';
import { createCache } from './cache.js';
import { sharedCaches } from './shared-caches.js';
import type { Cache, CacheEvent, CacheOptions } from './types.js';

const configMap = (name: string, resourceVersion = '1', data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a', resourceVersion, uid: `uid-${name}`, managedFields: [{ manager: 'm' }] },
  data,
});

let stub: StubObjects;
let client: Client;
let stop: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  stub = await StubObjects.start(() => [configMap('x'), configMap('y')]);
  client = createClient({ kubeConfig: stub.api.kubeConfig(), userAgent: 't', defaultFieldManager: 't' });
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await client.close();
  await stub.api.close();
});

function create(options: CacheOptions<ConfigMap> = {}, log = silentLog): Cache<ConfigMap> {
  return createCache(client, ConfigMap, options, { clock: systemClock, random: () => 0, log });
}

async function start(cache: Cache<ConfigMap>): Promise<void> {
  running.push(cache.run(stop.signal));
  await cache.waitForSync(stop.signal);
  await until(() => stub.watches.length === running.length);
}

function collect(cache: Cache<ConfigMap>): string[] {
  const events: string[] = [];
  cache.subscribe((event) => events.push(text(event)));
  return events;
}

function text(event: CacheEvent<ConfigMap>): string {
  const initial = event.type === 'added' && event.initial ? ' initial' : '';
  return `${event.type} ${event.object.metadata.name}${initial}`;
}

describe('a cache with handlers', () => {
  test('sends existing objects to a handler first, then changes in order, and marks the initial state', async () => {
    const cache = create();
    const early = collect(cache);
    await start(cache);
    const late = collect(cache);
    stub.send('ADDED', configMap('z'));
    stub.send('MODIFIED', configMap('z', '2'));
    stub.send('DELETED', configMap('z', '3'));
    await until(() => early.length === 5);
    expect(early).toEqual(['added x initial', 'added y initial', 'added z', 'updated z', 'deleted z']);
    expect(late).toEqual(early);
  });

  test('lets other work run while it reports the objects of a long list', async () => {
    const items = Array.from({ length: 1200 }, (_, index) => configMap(`config-${index}`));
    const long = await StubObjects.start(() => items);
    const own = createClient({ kubeConfig: long.api.kubeConfig(), userAgent: 't', defaultFieldManager: 't' });
    const cache = createCache(own, ConfigMap, {}, { clock: systemClock, random: () => 0, log: silentLog });
    let count = 0;
    const meanwhile: [number, boolean][] = [];
    cache.subscribe(() => {
      if (count++ === 0) setImmediate(() => meanwhile.push([count, cache.hasSynced]));
    });
    const ended = cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    expect([count, meanwhile]).toEqual([1200, [[500, false]]]);
    stop.abort();
    await ended;
    await own.close();
    await long.api.close();
  });

  test('logs a handler that throws, and calls the others', async () => {
    const errors: object[] = [];
    const log: Logger = { ...silentLog, error: (fields) => void errors.push(fields) };
    const cache = create({}, log);
    cache.subscribe(() => {
      throw new Error('broken handler');
    });
    const events = collect(cache);
    await start(cache);
    expect(events).toEqual(['added x initial', 'added y initial']);
    expect(errors).toEqual([
      { key: 'a/x', event: 'added', error: 'broken handler' },
      { key: 'a/y', event: 'added', error: 'broken handler' },
    ]);
  });

  test('sends nothing to a removed handler, and all changes to a handler that is added in the meantime', async () => {
    const cache = create();
    const gone: string[] = [];
    const inner: string[] = [];
    const unsubscribe = cache.subscribe((event) => {
      gone.push(text(event));
      unsubscribe();
      cache.subscribe((later) => inner.push(text(later)));
    });
    await start(cache);
    expect(gone).toEqual(['added x initial']);
    expect(inner).toEqual(['added x initial', 'added y initial']);
  });

  test('sends an update with the previous state', async () => {
    const cache = create();
    await start(cache);
    const seen: unknown[] = [];
    cache.subscribe((event) => {
      if (event.type === 'updated') seen.push(event.old.data, event.object.data);
    });
    stub.send('MODIFIED', configMap('x', '2', { k: 'v' }));
    await until(() => seen.length > 0);
    expect(seen).toEqual([{}, { k: 'v' }]);
  });
});

describe('objects', () => {
  test('are frozen recursively, and have no managedFields', async () => {
    const cache = create();
    await start(cache);
    const x = cache.get({ namespace: 'a', name: 'x' })!;
    expect(() => Object.assign(x.metadata, { labels: {} })).toThrow(TypeError);
    expect(() => Object.assign(x.data!, { k: 'v' })).toThrow(TypeError);
    expect(x.metadata.managedFields).toBeUndefined();
    expect(x).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('do not stop the cache, however many levels the API server accepts', async () => {
    const cache = create();
    await start(cache);
    const deep = '['.repeat(9_990) + ']'.repeat(9_990);
    const object = JSON.stringify({ ...configMap('deep'), data: 'DEEP' }).replace('"DEEP"', deep);
    stub.watches[0]?.response.write(`{"type":"ADDED","object":${object}}\n`);
    stub.send('ADDED', configMap('z'));
    await until(() => cache.get({ namespace: 'a', name: 'z' }) !== undefined);
    expect(Object.isFrozen(cache.get({ namespace: 'a', name: 'deep' })?.data)).toBe(true);
    expect(stub.lists).toHaveLength(1);
  });

  test('are transformed before they are stored', async () => {
    const cache = create({ transform: ({ data: _, ...rest }) => rest });
    await start(cache);
    expect(cache.get({ namespace: 'a', name: 'x' })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: configMap('x').metadata,
    });
  });

  test('have only metadata on request, even if the server sends them in full', async () => {
    const cache = create({ metadataOnly: true });
    await start(cache);
    expect(stub.lists[0]?.accept).toContain('as=PartialObjectMetadataList;');
    expect(stub.watches[0]?.accept).toContain('as=PartialObjectMetadata;');
    expect(Object.keys(cache.list()[0]!)).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  test('are limited to the namespace and the selectors', async () => {
    await start(create({ namespace: 'a', labelSelector: 'l=1', fieldSelector: 'metadata.name=x' }));
    expect(stub.lists[0]?.path).toBe('/api/v1/namespaces/a/configmaps');
    for (const { query } of [stub.lists[0]!, stub.watches[0]!]) {
      expect(query.get('labelSelector')).toBe('l=1');
      expect(query.get('fieldSelector')).toBe('metadata.name=x');
    }
  });
});

describe('a cache', () => {
  test('is not synced before the first list', async () => {
    const cache = create();
    expect(cache.hasSynced).toBe(false);
    const abort = new AbortController();
    const waiting = cache.waitForSync(abort.signal);
    abort.abort(new Error('too long'));
    await expect(waiting).rejects.toThrow('too long');
    await start(cache);
    expect(cache.hasSynced).toBe(true);
    await cache.waitForSync(abort.signal);
  });

  test('refuses indexes after the start, and a second start', async () => {
    const cache = create();
    cache.addIndex('data', ({ data }) => Object.keys(data ?? {}));
    await start(cache);
    stub.send('ADDED', configMap('z', '2', { k: 'v' }));
    await until(() => cache.byIndex('data', 'k').length === 1);
    expect(() => cache.addIndex('late', () => [])).toThrow('before the cache starts');
    await expect(cache.run(stop.signal)).rejects.toThrow('has already been started');
  });

  test('keeps its objects while the server is unavailable', async () => {
    const cache = create();
    await start(cache);
    await stub.api.close();
    expect(cache.list({ namespace: 'a' })).toHaveLength(2);
  });
});

describe('shared caches', () => {
  const shared = () => sharedCaches(client, { clock: systemClock, random: () => 0, log: silentLog });

  test('creates one cache for each kind and set of options', () => {
    const caches = shared();
    const transform = (object: ConfigMap) => object;
    const distinct = [
      caches.get(ConfigMap),
      caches.get(ConfigMap, { namespace: 'a' }),
      caches.get(ConfigMap, { labelSelector: 'a' }),
      caches.get(ConfigMap, { fieldSelector: 'a' }),
      caches.get(ConfigMap, { metadataOnly: true }),
      caches.get(ConfigMap, { transform }),
      caches.get(ConfigMap, { transform: (object) => object }),
      caches.get({ ...ConfigMap, version: 'v2' }),
    ];
    expect(new Set(distinct).size).toBe(distinct.length);
    expect(caches.get(ConfigMap, {})).toBe(distinct[0]);
    expect(caches.get({ ...ConfigMap }, { metadataOnly: false })).toBe(distinct[0]);
    expect(caches.get(ConfigMap, { transform })).toBe(distinct[5]);
  });

  test('runs and syncs all caches, including later ones', async () => {
    const caches = shared();
    caches.get(ConfigMap);
    expect(caches.hasSynced).toBe(false);
    running.push(caches.run(stop.signal));
    await caches.waitForSync(stop.signal);
    expect(caches.hasSynced).toBe(true);
    const late = caches.get(ConfigMap, { namespace: 'a' });
    expect(caches.hasSynced).toBe(false);
    await late.waitForSync(stop.signal);
    expect(late.list()).toHaveLength(2);
  });
});
