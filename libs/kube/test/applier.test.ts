import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectKey } from '@interlock/api';
import type { ApplyConfiguration, Client } from '../src/client/types.js';
import { Applier } from '../src/runtime/applier.js';
import { MemoryCache } from '../src/testing/memory-cache.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';

let widgets: WidgetCluster;
beforeAll(async () => {
  widgets = await startWidgetCluster();
});
afterAll(() => widgets.close());

/** Returns what an applier does with a widget whose cached state is the newest. */
function widget(name: string) {
  const applier = new Applier(widgets.client);
  const cache = new MemoryCache(Widget);
  const read = () => widgets.client.get(Widget, { namespace, name });
  const apply = async (spec: Record<string, unknown>) => {
    const called = await applier.apply(Widget, cache, { metadata: { name, namespace }, spec });
    cache.set(await read());
    return called;
  };
  return { applier, cache, read, apply };
}

describe('Applier', () => {
  it('applies a configuration once', async () => {
    const { apply, read } = widget('once');
    expect(await apply({ size: 1 })).toBe(true);
    const { resourceVersion } = (await read()).metadata;
    expect(await apply({ size: 1 })).toBe(false);
    expect((await read()).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('applies to the given version of an object only, and skips another version that needs no change', async () => {
    const { applier, cache, read, apply } = widget('version');
    const key = { namespace, name: 'version' };
    await apply({ size: 1 });
    const { resourceVersion } = (await read()).metadata;
    const applyTo = (version: string | undefined, size: number) =>
      applier.apply(Widget, cache, { metadata: { ...key, resourceVersion: version }, spec: { size } });
    expect(await applyTo(resourceVersion, 1)).toBe(false);
    expect(await applyTo('1', 1)).toBe(false);
    await expect(applyTo('1', 2)).rejects.toMatchObject({ type: 'Conflict' });
    expect(await applyTo(resourceVersion, 2)).toBe(true);
  });

  it('remembers the objects of 1,000 owners, each of which has 34', async () => {
    const stored = new Map<string, Widget>();
    const client = {
      apply: async (_kind: unknown, { metadata }: ApplyConfiguration) => {
        const object = { ...metadata, generation: 1, uid: metadata.name };
        stored.set(metadata.name, { metadata: object } as Widget);
        return stored.get(metadata.name);
      },
    } as unknown as Client;
    const applier = new Applier(client);
    const cache = { get: ({ name }: ObjectKey) => stored.get(name) };
    const applyAll = async () => {
      let calls = 0;
      for (let index = 0; index < 34_000; index += 1)
        calls += Number(await applier.apply(Widget, cache, { metadata: { name: `${index}`, namespace } }));
      return calls;
    };
    expect(await applyAll()).toBe(34_000);
    expect(await applyAll()).toBe(0);
  });

  it('removes a field that is no longer in the configuration', async () => {
    const { apply, read } = widget('field');
    await apply({ size: 1 });
    expect(await apply({})).toBe(true);
    expect(await read()).not.toHaveProperty('spec.size');
  });

  it('applies again when another manager changed the object', async () => {
    const { apply, cache, read } = widget('changed');
    await apply({ size: 1 });
    const key = { namespace, name: 'changed' };
    await widgets.client.patch(Widget, key, { type: 'merge', patch: { spec: { size: 2 } } });
    cache.set(await read());
    expect(await apply({ size: 1 })).toBe(true);
    expect((await read()).spec).toMatchObject({ size: 1 });
  });

  it('applies again when another manager changed the labels or the owners, which have no generation', async () => {
    const { applier, cache, read } = widget('labelled');
    const key = { namespace, name: 'labelled' };
    const apply = async () => {
      const called = await applier.apply(Widget, cache, {
        metadata: { ...key, labels: { team: 'a' } },
        spec: {},
      });
      cache.set(await read());
      return called;
    };
    expect(await apply()).toBe(true);
    expect(await apply()).toBe(false);
    await widgets.client.patch(Widget, key, {
      type: 'merge',
      patch: { metadata: { labels: { team: 'b' } } },
    });
    cache.set(await read());
    expect(await apply()).toBe(true);
    expect((await read()).metadata.labels).toEqual({ team: 'a' });
    expect(await apply()).toBe(false);
  });

  it('applies again when the object was deleted', async () => {
    const { apply, cache, read } = widget('deleted');
    await apply({ size: 1 });
    const key = { namespace, name: 'deleted' };
    await widgets.client.delete(Widget, key);
    cache.remove(key);
    expect(await apply({ size: 1 })).toBe(true);
    expect((await read()).spec).toMatchObject({ size: 1 });
  });
});
