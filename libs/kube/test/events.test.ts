import { systemClock } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Event } from '../src/client/kinds.js';
import { EventRecorder } from '../src/runtime/events.js';
import { until } from '../src/testing/until.js';
import { namespace, startWidgetCluster, type WidgetCluster } from './widget-cluster.js';

let widgets: WidgetCluster;
beforeAll(async () => {
  widgets = await startWidgetCluster();
});
afterAll(() => widgets.close());

it('writes events and series that the API server accepts', async () => {
  const log = recordLog();
  const recorder = new EventRecorder({
    client: widgets.client,
    clock: systemClock,
    log,
    reporter: { controller: 'test.interlock.dev/widget', instance: 'pod-1' },
    random: Math.random,
  });
  const stop = new AbortController();
  const ended = recorder.run(stop.signal);
  const widget = await widgets.createWidget('a');
  const input = { type: 'Normal', reason: 'Sized', action: 'Size', note: 'x'.repeat(3_000) } as const;
  const events = async () => (await widgets.client.list(Event, { namespace })).items;
  recorder.record(widget, input);
  await until(
    async () => (await events()).length === 1,
    () => log.lines,
  );
  recorder.record(widget, input);
  await until(
    async () => (await events())[0]?.series?.count === 2,
    () => log.lines,
  );
  stop.abort();
  await ended;
  expect(await events()).toMatchObject([{ reason: 'Sized', regarding: { kind: 'Widget', name: 'a' } }]);
});
