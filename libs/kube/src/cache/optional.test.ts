import { FakeClock, recordLog } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@interlock/api';
import { aborted } from '@interlock/base';
import type { Client } from '../client/types.js';
import { Widget } from '../testing/widget.js';
import { createOptionalCache, type OptionalCache } from './optional.js';

const intervalMs = 1_000;
const object = {
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
};

let isServed: boolean;
let clock: FakeClock;
let cache: OptionalCache<KubeObject>;
let log: ReturnType<typeof recordLog>;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  [isServed, clock, log, stop] = [true, new FakeClock(), recordLog(), new AbortController()];
  const client = {
    resolveKind: () => Promise.resolve(isServed ? Widget : undefined),
    async *listPages() {
      yield { items: [structuredClone(object)], resourceVersion: '1' };
    },
    async *watch(_kind: unknown, { signal }: { signal: AbortSignal }) {
      yield { type: 'BOOKMARK', resourceVersion: '1' };
      await aborted(signal);
      throw new Error('aborted');
    },
  } as unknown as Client;
  const dependencies = { clock, log, random: () => 0 };
  cache = createOptionalCache(client, Widget, { checkIntervalMs: intervalMs }, dependencies);
});
afterEach(async () => {
  stop.abort();
  await ended;
});

describe('an optional cache', () => {
  it('reports its objects as deleted when the kind is no longer served', async () => {
    const events: string[] = [];
    cache.subscribe(({ type }) => events.push(`${type}, ${cache.get(object.metadata) ? 'there' : 'gone'}`));
    ended = cache.run(stop.signal);
    await clock.advance(0);
    isServed = false;
    await clock.advance(intervalMs);
    expect([cache.availability, events]).toEqual(['absent', ['added, there', 'deleted, gone']]);
    isServed = true;
    await clock.advance(intervalMs);
    expect(events).toHaveLength(3);
  });

  it('finds objects by index, also after the kind was removed and installed again', async () => {
    cache.addIndex('name', ({ metadata }) => [metadata.name]);
    const found = (): number => cache.byIndex('name', 'a').length;
    const counts = [found()];
    ended = cache.run(stop.signal);
    for (const served of [true, false, true]) {
      isServed = served;
      await clock.advance(counts.length === 1 ? 0 : intervalMs);
      counts.push(found());
    }
    expect(counts).toEqual([0, 1, 0, 1]);
    expect(() => cache.byIndex('other', 'a')).toThrow('index other of Widget does not exist');
  });

  it('sends an event to all handlers, although one of them throws', async () => {
    const events: string[] = [];
    cache.subscribe(() => {
      throw new Error('a defect');
    });
    cache.subscribe(({ type }) => events.push(type));
    ended = cache.run(stop.signal);
    await clock.advance(0);
    expect(events).toEqual(['added']);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ message: 'A cache event handler failed', error: 'a defect' }),
    );
  });
});
