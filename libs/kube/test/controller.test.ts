import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../src/client/kinds.js';
import { until } from '../src/testing/until.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';
import { configOf, startProcess, type Process } from './widget-controller.js';

let widgets: WidgetCluster;
let running: Process[] = [];

beforeEach(async () => {
  widgets = await startWidgetCluster();
});

afterEach(async () => {
  running.forEach((process) => process.stop());
  await Promise.all(running.map((process) => process.ended));
  running = [];
  await widgets.close();
});

function start(...args: Parameters<typeof startProcess> extends [unknown, ...infer R] ? R : never): Process {
  const process = startProcess(widgets, ...args);
  running.push(process);
  return process;
}

async function sizesIn(
  status: (widget: Widget) => number | undefined,
): Promise<Record<string, number | undefined>> {
  const { items } = await widgets.client.list(Widget);
  return Object.fromEntries(items.map((widget) => [widget.metadata.name, status(widget)]));
}

describe('a controller on a cluster', () => {
  it('reconciles existing and new objects, and becomes idle', async () => {
    await widgets.createWidget('early', 3);
    const process = start();
    await until(() => process.reconciled.includes('early'));
    await widgets.createWidget('late', 4);
    await until(async () => {
      const sizes = await sizesIn(({ status }) => status?.size);
      return sizes['early'] === 3 && sizes['late'] === 4;
    });
    const widget = await widgets.client.get(Widget, { namespace, name: 'late' });
    expect(widget.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: 'Applied', observedGeneration: 1 },
    ]);
    expect((await widgets.client.get(ConfigMap, configOf(widget))).data).toEqual({ size: '4' });
    expect(process.manager.ready()).toBe(true);
    const { resourceVersion } = widget.metadata;
    process.reconciled.length = 0;
    await widgets.client.patch(ConfigMap, configOf(widget), {
      type: 'merge',
      patch: { metadata: { labels: { a: 'b' } } },
    });
    await until(() => process.reconciled.includes('late'));
    process.stop();
    expect(await process.ended).toBe('stopped');
    expect((await widgets.client.get(Widget, { namespace, name: 'late' })).metadata.resourceVersion).toBe(
      resourceVersion,
    );
  });

  it('reconciles the parent of a child that changes or is deleted', async () => {
    const widget = await widgets.createWidget('a', 3);
    start();
    const config = configOf(widget);
    const size = async () =>
      (await widgets.client.get(ConfigMap, config).catch(() => undefined))?.data?.['size'];
    await until(async () => (await size()) === '3');
    await widgets.client.patch(ConfigMap, config, { type: 'merge', patch: { data: { size: '99' } } });
    await until(async () => (await size()) === '3');
    const { uid } = (await widgets.client.get(ConfigMap, config)).metadata;
    await widgets.client.delete(ConfigMap, config);
    await until(async () => (await size()) === '3');
    expect((await widgets.client.get(ConfigMap, config)).metadata.uid).not.toBe(uid);
  });

  it('misses no change when the API server restarts during its work', async () => {
    const process = start();
    await until(() => process.manager.ready());
    const wanted: Record<string, number> = {};
    const write = async (name: string, size: number): Promise<void> => {
      const existing = wanted[name] !== undefined;
      wanted[name] = size;
      const done = async (): Promise<boolean> => {
        if (!existing) await widgets.createWidget(name, size);
        else
          await widgets.client.patch(
            Widget,
            { namespace, name },
            { type: 'merge', patch: { spec: { size } } },
          );
        return true;
      };
      await until(() => done().catch((error: { reason?: string }) => error.reason === 'AlreadyExists'));
    };
    const writing = Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        for (let size = 1; size <= 5; size++) await write(`w${i}`, size);
      }),
    );
    await until(() => process.reconciled.length > 20);
    await widgets.cluster.restart();
    await until(() => process.reconciled.length > 60);
    await widgets.cluster.restart();
    await writing;
    const sizes = () => sizesIn(({ status }) => status?.size);
    await until(
      async () =>
        JSON.stringify(Object.entries(await sizes()).sort()) ===
        JSON.stringify(Object.entries(wanted).sort()),
      sizes,
    );
    expect(Object.keys(wanted)).toHaveLength(40);
  });

  it('finishes a running reconcile on stop, and begins no other reconcile', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const process = start({}, () => gate);
    await widgets.createWidget('a', 7);
    await until(() => process.reconciled.includes('a'));
    process.stop();
    await widgets.createWidget('b', 8);
    release();
    expect(await process.ended).toBe('stopped');
    expect(await sizesIn(({ status }) => status?.size)).toEqual({ a: 7, b: undefined });
  });
});
