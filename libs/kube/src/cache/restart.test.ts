import { silentLog, systemClock } from '@interlock/base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startDevCluster, type DevCluster, type FaultRequest } from '@interlock/devcluster';
import { isTyped, keyOf, keyString } from '@interlock/api';
import { parse } from 'yaml';
import { createClient } from '../client/client.js';
import { ConfigMap } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { until } from '../testing/until.js';
import { createCache } from './cache.js';
import type { Cache, CacheEvent } from './types.js';

const namespace = 'default';
const writers = 4;
const names = 64;

let cluster: DevCluster;
let client: Client;
let cache: Cache<ConfigMap>;
let lists: number;
let stop: AbortController;
let ran: Promise<void>;
let replica: Replica;

/** A client that knows only what the events report. An event that contradicts this knowledge is a fault. */
class Replica {
  readonly objects = new Map<string, ConfigMap>();
  readonly versions = new Set<string>();
  readonly faults: string[] = [];
  deletes = 0;

  take(event: CacheEvent<ConfigMap>): void {
    const key = keyString(keyOf(event.object));
    const known = this.objects.get(key);
    const version = `${key}@${event.object.metadata.resourceVersion}`;
    const fits = event.type === 'added' ? known === undefined : known !== undefined;
    if (!fits || (event.type === 'updated' && event.old !== known))
      this.faults.push(`${event.type} ${version}`);
    if (event.type === 'deleted') {
      this.objects.delete(key);
      this.deletes++;
      return;
    }
    if (this.versions.has(version)) this.faults.push(`twice ${version}`);
    this.versions.add(version);
    this.objects.set(key, event.object);
  }
}

beforeAll(async () => {
  cluster = await startDevCluster();
});
afterAll(() => cluster.close());

beforeEach(async () => {
  lists = 0;
  client = createClient({
    kubeConfig: parse(cluster.kubeconfig) as object,
    userAgent: 't',
    defaultFieldManager: 't',
  });
  const metrics = { listed: () => void lists++, watched: () => undefined };
  /* A small part of the jitter, so that the waits are short. */
  const dependencies = { clock: systemClock, random: () => 0.02, log: silentLog, metrics };
  cache = createCache(client, ConfigMap, { namespace, labelSelector: 'soak' }, dependencies);
  replica = new Replica();
  cache.subscribe((event) => replica.take(event));
  stop = new AbortController();
  ran = cache.run(stop.signal);
  await cache.waitForSync(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ran;
  await client.close();
});

/** Applies and deletes its objects in turn until `done`, and returns the versions that the server confirmed. */
async function write(writer: number, done: () => boolean, count: () => void): Promise<string[]> {
  const confirmed: string[] = [];
  for (let n = 0; !done(); n++) {
    const key = { namespace, name: `w${writer}-${(n * 7) % (names / writers)}` };
    try {
      if (n % 5 === 3) {
        await client.delete(ConfigMap, key);
      } else {
        const labels = { soak: 'yes' };
        const options = { fieldManager: `writer-${writer}` };
        const body = { metadata: { ...key, labels }, data: { n: String(n) } };
        const { metadata } = await client.apply(ConfigMap, body, options);
        confirmed.push(`${keyString(key)}@${metadata.resourceVersion}`);
      }
      count();
    } catch (error) {
      if (!isTyped(error, 'NotFound', 'Transient')) throw error;
    }
  }
  return confirmed;
}

/** Runs the writers for `total` writes, and calls `disturb` after each quarter of them. */
async function writeUnder(
  total: number,
  disturb: (written: () => number) => Promise<void> | void,
): Promise<string[]> {
  let done = 0;
  const running = Array.from({ length: writers }, (_, writer) =>
    write(
      writer,
      () => done >= total,
      () => done++,
    ),
  );
  for (const part of [1, 2, 3]) {
    await until(() => done >= (total * part) / 4);
    await disturb(() => done);
  }
  return (await Promise.all(running)).flat();
}

const versionsOf = (objects: Iterable<ConfigMap>) =>
  [...objects].map((object) => `${keyString(keyOf(object))}@${object.metadata.resourceVersion}`).sort();

async function expectSameAsServer(): Promise<void> {
  const { items } = await client.list(ConfigMap, { namespace, labelSelector: 'soak' });
  const expected = versionsOf(items);
  await until(
    () => JSON.stringify(versionsOf(cache.list())) === JSON.stringify(expected),
    () => ({ cache: versionsOf(cache.list()), server: expected }),
  );
  for (const { metadata } of items) delete metadata.managedFields;
  const byKey = new Map(items.map((object) => [keyString(keyOf(object)), object]));
  expect(new Map(cache.list().map((object) => [keyString(keyOf(object)), object]))).toEqual(byKey);
  expect(replica.objects).toEqual(byKey);
  expect(replica.faults).toEqual([]);
}

describe('a cache under 1,000 writes', () => {
  test('misses and repeats nothing while the API server restarts three times', async () => {
    const confirmed = await writeUnder(1000, () => cluster.restart());
    await expectSameAsServer();
    expect(confirmed.length).toBeGreaterThan(500);
    expect(replica.deletes).toBeGreaterThan(100);
    /* Every single state was reported, not just the last ones: the watch was resumed and not replaced by a list. */
    expect(confirmed.filter((version) => !replica.versions.has(version))).toEqual([]);
    expect(lists).toBe(1);
  });

  test('reaches the same state even if the history is lost', async () => {
    const isWatch = ({ info }: FaultRequest) => info.verb === 'watch';
    await writeUnder(1000, async (written) => {
      const before = { lists, written: written() };
      const heal = cluster.faults.inject({ when: isWatch, cutAfterBytes: 0 });
      await cluster.restart();
      await until(() => written() > before.written + 20);
      cluster.compact();
      heal();
      await until(() => lists > before.lists);
    });
    await expectSameAsServer();
    expect(lists).toBe(4);
  });

  test('misses nothing when its streams break within an event', async () => {
    const confirmed = await writeUnder(1000, () => {
      cluster.faults.inject({ when: ({ info }) => info.verb === 'watch', cutAfterBytes: 1000, times: 1 });
      cluster.faults.cut(({ info }) => info.verb === 'watch');
    });
    await expectSameAsServer();
    expect(confirmed.filter((version) => !replica.versions.has(version))).toEqual([]);
  });
});
