import { silentLog, systemClock } from '@interlock/base';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOptionalCache, type Availability, type OptionalCache } from '../src/cache/optional.js';
import { CustomResourceDefinition } from '../src/client/kinds.js';
import { KubeManager } from '../src/runtime/manager.js';
import { until } from '../src/testing/until.js';
import { definition, namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';

const crd = { name: definition.metadata.name };

let widgets: WidgetCluster;
let cache: OptionalCache<Widget>;
let events: string[];
let changes: Availability[];
let stopping: AbortController;
let ended: Promise<void>;

beforeEach(async () => {
  widgets = await startWidgetCluster();
  events = [];
  changes = [];
  stopping = new AbortController();
  cache = createOptionalCache(
    widgets.connect(),
    Widget,
    { checkIntervalMs: 20 },
    { clock: systemClock, random: () => 0, log: silentLog },
  );
  cache.subscribe(({ type, object }) => events.push(`${type} ${object.metadata.name}`));
  cache.onAvailability(() => changes.push(cache.availability));
});

afterEach(async () => {
  stopping.abort();
  await ended;
  await widgets.close();
});

function start(): void {
  ended = cache.run(stopping.signal);
}

describe('an optional cache', () => {
  it('reads a kind that is served', async () => {
    await widgets.createWidget('a', 3);
    expect(cache.availability).toBe('unknown');
    start();
    await until(() => cache.availability === 'ready');
    expect(changes).toEqual(['reading', 'ready']);
    expect(cache.get({ namespace, name: 'a' })?.spec.size).toBe(3);
    expect(cache.list({ namespace })).toHaveLength(1);
    expect(cache.list({ namespace: 'elsewhere' })).toEqual([]);
    await widgets.createWidget('b');
    await until(() => events.includes('added b'));
  });

  it('finds a kind that is installed later, and again after the kind was removed', async () => {
    await widgets.client.delete(CustomResourceDefinition, crd);
    start();
    await until(() => cache.availability === 'absent');
    expect(cache.list()).toEqual([]);
    await widgets.client.create(CustomResourceDefinition, definition);
    await until(() => cache.availability === 'ready');
    await widgets.createWidget('a');
    await until(() => events.includes('added a'));

    await widgets.client.delete(CustomResourceDefinition, crd);
    await until(() => cache.availability === 'absent');
    expect(cache.list()).toEqual([]);
    await widgets.client.create(CustomResourceDefinition, definition);
    await until(() => cache.availability === 'ready');
    expect(cache.list()).toEqual([]);
  });

  it('reports no objects while the API server does not answer', async () => {
    let refused = 0;
    const stop = widgets.cluster.faults.inject({
      when: ({ path }) => path.startsWith('/apis/'),
      status: 403,
      onHit: () => void refused++,
    });
    start();
    await until(() => refused > 1);
    expect(changes).toEqual([]);
    stop();
    await until(() => cache.availability === 'ready');
  });

  it('sends existing objects to a late subscriber, and nothing after it unsubscribes', async () => {
    await widgets.createWidget('a');
    start();
    await until(() => cache.availability === 'ready');
    const late: string[] = [];
    const off = cache.subscribe(({ type, object }) => late.push(`${type} ${object.metadata.name}`));
    expect(late).toEqual(['added a']);
    off();
    await widgets.createWidget('b');
    await until(() => events.includes('added b'));
    expect(late).toEqual(['added a']);
  });
});

describe('a controller of an optional kind', () => {
  it('reconciles objects of the kind when it is served, and never from a state older than its own write', async () => {
    await widgets.client.delete(CustomResourceDefinition, crd);
    const client = widgets.connect();
    const manager = new KubeManager({ client, clock: systemClock, log: silentLog });
    manager.add(cache);
    const seen: (number | undefined)[] = [];
    manager.addController({
      name: 'widgets',
      for: { kind: Widget, optional: cache },
      reconcile: async (key) => {
        const widget = cache.get(key);
        seen.push(widget?.spec.size);
        if (widget === undefined || widget.spec.size >= 3) return undefined;
        const patch = { spec: { size: widget.spec.size + 1 } };
        await manager.client.patch(Widget, key, { type: 'merge', patch });
        return { requeueAfterMs: 0 };
      },
    });
    ended = manager.run(stopping.signal);
    await until(() => cache.availability === 'absent');
    expect(seen).toEqual([]);
    await widgets.client.create(CustomResourceDefinition, definition);
    await until(() => cache.availability === 'ready');
    await widgets.createWidget('a', 1);
    await until(() => seen.includes(3));
    expect([...new Set(seen)]).toEqual([1, 2, 3]);
    expect(seen.filter((size) => size === 1)).toHaveLength(1);
  });
});
