import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createClient } from '../client/client.js';
import { ConfigMap } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { sendJson, StubApi } from '../testing/stub-api.js';
import { StubObjects } from '../testing/stub-objects.js';
import { until } from '../testing/until.js';
import { createCache } from './cache.js';
import type { Cache } from './types.js';
import { trackWrites, type WriteTracker } from './write-tracker.js';

const key = { namespace: 'a', name: 'x' };
const version = (resourceVersion: string, uid = 'u1', more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key, resourceVersion, uid, ...more },
});

/** Reads use one stub and writes another one, so that a test controls what each of them knows. */
let reads: StubObjects;
let writes: StubApi;
let clients: Client[];
let clock: FakeClock;
let stop: AbortController;
let ran: Promise<void>;
let cache: Cache<ConfigMap>;
let tracker: WriteTracker;
let listed: ReturnType<typeof version>[];
/** The answer of the API server to writes. */
let answer: object;

const isStale = () => tracker.isStale(ConfigMap, key, cache);
const heard = async (
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK',
  object: ReturnType<typeof version>,
) => {
  reads.send(type, object);
  /* Events arrive in order: the last one is a marker. */
  reads.send('ADDED', { ...object, metadata: { ...object.metadata, name: 'marker', uid: 'm' } });
  await until(() => cache.progress.hasSeen({ ...key, name: 'marker' }, object.metadata.resourceVersion));
};

beforeEach(async () => {
  clock = new FakeClock();
  listed = [version('1')];
  reads = await StubObjects.start(() => listed);
  writes = await StubApi.start((_, response) => sendJson(response, 200, answer));
  const connect = (kubeConfig: object) =>
    createClient({ kubeConfig, userAgent: 't', defaultFieldManager: 't', clock, random: () => 0 });
  clients = [connect(reads.api.kubeConfig()), connect(writes.kubeConfig())];
  tracker = trackWrites(clients[1]!, { clock });
  cache = createCache(clients[0]!, ConfigMap, {}, { clock, random: () => 0, log: silentLog });
  stop = new AbortController();
  ran = cache.run(stop.signal);
  await cache.waitForSync(stop.signal);
  await until(() => reads.watches.length === 1);
  await clock.advance(1);
});
afterEach(async () => {
  stop.abort();
  await ran;
  for (const client of clients) await client.close();
  await reads.api.close();
  await writes.close();
});

async function update(resourceVersion: string, uid = 'u1'): Promise<void> {
  answer = version(resourceVersion, uid);
  await tracker.client.update(ConfigMap, version('1'));
}

describe('the tracker after a write', () => {
  test('treats the cache as stale until the cache contains the write', async () => {
    expect(isStale()).toBe(false);
    await update('b');
    expect(isStale()).toBe(true);
    await heard('MODIFIED', version('someone-else-before'));
    expect(isStale()).toBe(true);
    await heard('MODIFIED', version('b'));
    expect(isStale()).toBe(false);
  });

  test('treats the cache as fresh if the cache received the write before the answer to the write', async () => {
    await heard('MODIFIED', version('b'));
    await heard('MODIFIED', version('c'));
    await update('b');
    expect(isStale()).toBe(false);
  });

  test('does not require an event after a write that changed nothing', async () => {
    await update('1');
    expect(isStale()).toBe(false);
  });

  test('treats the cache as fresh if the list contained the write, and a later write of others followed', async () => {
    await update('1');
    await heard('MODIFIED', version('c'));
    expect(isStale()).toBe(false);
  });

  test('treats the cache as stale although the object did not match the selector for some time', async () => {
    await heard('DELETED', version('2'));
    await heard('ADDED', version('3'));
    await update('b');
    expect(isStale()).toBe(true);
    await heard('MODIFIED', version('b'));
    expect(isStale()).toBe(false);
  });

  test('ignores other objects, other kinds and dry runs', async () => {
    await update('b');
    expect(tracker.isStale(ConfigMap, { ...key, name: 'y' }, cache)).toBe(false);
    expect(tracker.isStale({ ...ConfigMap, kind: 'Other' }, key, cache)).toBe(false);
    await heard('MODIFIED', version('b'));
    answer = version('dry');
    await tracker.client.update(ConfigMap, version('1'), { dryRun: true });
    await tracker.client.delete(ConfigMap, key, { dryRun: true });
    expect(isStale()).toBe(false);
  });

  test.each(['create', 'patch', 'apply'] as const)('tracks %s', async (verb) => {
    answer = version('b');
    const { client } = tracker;
    if (verb === 'create') await client.create(ConfigMap, { metadata: key });
    if (verb === 'patch') await client.patch(ConfigMap, key, { type: 'merge', patch: {} });
    if (verb === 'apply') await client.apply(ConfigMap, { metadata: key }, { fieldManager: 'm' });
    expect(isStale()).toBe(true);
    await heard('MODIFIED', version('b'));
    expect(isStale()).toBe(false);
  });

  test('ignores a failed write', async () => {
    writes.answer((_, response) => sendJson(response, 409, {}));
    await expect(tracker.client.update(ConfigMap, version('1'))).rejects.toThrow();
    expect(isStale()).toBe(false);
  });

  test('is settled by the removal of the object', async () => {
    await update('b');
    await heard('DELETED', version('c', 'u1'));
    expect(isStale()).toBe(false);
  });

  test('is not settled by the removal of the previous object', async () => {
    await update('b', 'u2');
    await heard('DELETED', version('c', 'u1'));
    expect(isStale()).toBe(true);
  });

  test('is settled by a list that began later', async () => {
    await update('b');
    await clock.advance(1);
    listed = [version('c')];
    const status = { kind: 'Status', code: 410, reason: 'Expired' };
    reads.watches[0]!.response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    await until(() => clock.pendingTimers === 1);
    await clock.advance(0);
    await until(() => reads.watches.length === 2);
    expect(isStale()).toBe(false);
  });

  test('is not settled by a long list that began before it', async () => {
    const pages: ServerResponse[] = [];
    const watches: ServerResponse[] = [];
    reads.api.answer(({ query }, response) => {
      if (!query.has('watch')) return void pages.push(response);
      watches.push(response);
      response.writeHead(200).flushHeaders();
    });
    const status = { kind: 'Status', code: 410, reason: 'Expired' };
    reads.watches[0]!.response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    await until(() => clock.pendingTimers === 1);
    await clock.advance(0);
    await until(() => pages.length === 1);
    await update('b');
    await clock.advance(40_000);
    const resourceVersion = '10';
    sendJson(pages[0]!, 200, { metadata: { resourceVersion, continue: 'more' }, items: [version('1')] });
    await until(() => pages.length === 2);
    await clock.advance(40_000);
    sendJson(pages[1]!, 200, { metadata: { resourceVersion }, items: [] });
    await until(() => watches.length === 1);
    expect(isStale()).toBe(true);
  });

  test('requires each cache to contain the write', async () => {
    const other = createCache(clients[0]!, ConfigMap, {}, { clock, random: () => 0, log: silentLog });
    await update('b');
    await heard('MODIFIED', version('b'));
    expect(isStale()).toBe(false);
    expect(tracker.isStale(ConfigMap, key, other)).toBe(true);
  });

  test.each([-3_600_000, 3_600_000])('is not settled when the clock jumps by %d ms', async (stepMs) => {
    await update('outside-of-the-selector');
    clock.set(stepMs);
    await heard('BOOKMARK', version('z'));
    expect(isStale()).toBe(true);
    await clock.advance(60_000);
    await heard('BOOKMARK', version('z1'));
    expect(isStale()).toBe(false);
  });

  test('stops waiting after a minute for a cache that receives events but never the write, not for a silent cache', async () => {
    await update('outside-of-the-selector');
    await clock.advance(60_000);
    expect(isStale()).toBe(true);
    await heard('BOOKMARK', version('z'));
    expect(isStale()).toBe(false);
  });
});

describe('the tracker after a delete', () => {
  beforeEach(() => {
    answer = { kind: 'Status', status: 'Success' };
  });

  test('treats the cache as stale while the cache contains the object unchanged', async () => {
    await tracker.client.delete(ConfigMap, key);
    expect(isStale()).toBe(true);
    await heard('DELETED', version('c'));
    expect(isStale()).toBe(false);
  });

  test('is settled by the deletion timestamp of an object that waits for finalizers', async () => {
    await tracker.client.delete(ConfigMap, key);
    expect(isStale()).toBe(true);
    await heard('MODIFIED', version('c', 'u1', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(isStale()).toBe(false);
  });

  test('distinguishes a recreated object', async () => {
    await tracker.client.delete(ConfigMap, key);
    expect(isStale()).toBe(true);
    await heard('DELETED', version('c'));
    await heard('ADDED', version('d', 'u2'));
    expect(isStale()).toBe(false);
  });

  test('waits for the creation of an object first', async () => {
    listed = [];
    await heard('DELETED', version('0'));
    answer = version('b', 'u2');
    await tracker.client.create(ConfigMap, { metadata: key });
    answer = { kind: 'Status', status: 'Success' };
    await tracker.client.delete(ConfigMap, key);
    expect(isStale()).toBe(true);
    await heard('ADDED', version('b', 'u2'));
    expect(isStale()).toBe(true);
    await heard('DELETED', version('c', 'u2'));
    expect(isStale()).toBe(false);
  });
});
