import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureFinalizer, removeFinalizer } from '../src/runtime/finalizers.js';
import { applyStatus } from '../src/runtime/status.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';

let widgets: WidgetCluster;
beforeAll(async () => {
  widgets = await startWidgetCluster();
});
afterAll(() => widgets.close());

const get = (name: string) => widgets.client.get(Widget, { namespace, name });

describe('applyStatus', () => {
  it('writes a status, and removes omitted fields', async () => {
    const { client } = widgets;
    const created = await widgets.createWidget('status');
    const because = { reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const ready = { type: 'Ready', status: 'True', ...because } as const;
    const first = await applyStatus(client, Widget, created, { size: 1, conditions: [ready] });
    expect(first.status).toEqual({ size: 1, conditions: [ready] });
    expect(first.metadata.generation).toBe(1);
    const less = await applyStatus(client, Widget, first, { size: 2 });
    expect(less.status).toEqual({ size: 2 });
    expect((await get('status')).metadata.resourceVersion).toBe(less.metadata.resourceVersion);
  });

  it('does not change an object that was recreated with the same name', async () => {
    const { client } = widgets;
    const old = await widgets.createWidget('anew');
    await client.delete(Widget, old.metadata);
    await widgets.createWidget('anew');
    await expect(applyStatus(client, Widget, old, { size: 1 })).rejects.toMatchObject({
      type: 'Conflict',
    });
    expect((await get('anew')).status).toBeUndefined();
  });

  it('writes the status of an object that changed after it was observed', async () => {
    const { client } = widgets;
    const old = await widgets.createWidget('changed');
    const patch = { metadata: { labels: { changed: 'yes' } } };
    await client.patch(Widget, old.metadata, { type: 'merge', patch });
    const { metadata, status } = await applyStatus(client, Widget, old, { size: 1 });
    expect({ labels: metadata.labels, status }).toEqual({ labels: { changed: 'yes' }, status: { size: 1 } });
  });
});

describe('finalizers', () => {
  const ours = 'test.interlock.dev/ours';
  const theirs = 'test.interlock.dev/theirs';

  it('are added once and removed individually', async () => {
    const { client } = widgets;
    const created = await widgets.createWidget('final');
    const first = await ensureFinalizer(client, Widget, created, theirs);
    const second = await ensureFinalizer(client, Widget, first, ours);
    expect(second.metadata.finalizers).toEqual([theirs, ours]);
    expect(await ensureFinalizer(client, Widget, second, ours)).toBe(second);
    await removeFinalizer(client, Widget, second, ours);
    expect((await get('final')).metadata.finalizers).toEqual([theirs]);
  });

  it('do not undo the changes of others', async () => {
    const { client } = widgets;
    const seen = await widgets.createWidget('race');
    await ensureFinalizer(client, Widget, seen, theirs);
    await expect(ensureFinalizer(client, Widget, seen, ours)).rejects.toMatchObject({ type: 'Conflict' });
    const both = await ensureFinalizer(client, Widget, await get('race'), ours);
    await removeFinalizer(client, Widget, both, theirs);
    await expect(removeFinalizer(client, Widget, both, ours)).rejects.toMatchObject({ type: 'Conflict' });
    expect((await get('race')).metadata.finalizers).toEqual([ours]);
  });

  it('are not added to a deleted object, which is gone when they are removed', async () => {
    const { client } = widgets;
    const held = await ensureFinalizer(client, Widget, await widgets.createWidget('going'), ours);
    await client.delete(Widget, held.metadata);
    const going = await get('going');
    expect(await ensureFinalizer(client, Widget, going, theirs)).toBe(going);
    await removeFinalizer(client, Widget, going, ours);
    await expect(get('going')).rejects.toMatchObject({ type: 'NotFound' });
    await removeFinalizer(client, Widget, going, ours);
  });
});
