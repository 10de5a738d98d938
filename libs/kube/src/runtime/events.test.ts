import { FakeClock, recordLog } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { TypedError, type Condition, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { Event } from '../client/kinds.js';
import type { Patch } from '../client/types.js';
import { EventRecorder } from './events.js';
import type { EventInput } from './event-object.js';
import { noMetrics } from './metrics-types.js';

const minute = 60_000;

/** Stores written events; fails as long as `error` is set. */
class EventServer {
  readonly events = new Map<string, Event>();
  readonly calls: string[] = [];
  error: Error | undefined;
  hangs = false;

  async create<T extends KubeObject>(_kind: Kind<T>, object: unknown): Promise<T> {
    await this.#answer('create');
    const event = object as Event;
    this.events.set(event.metadata.name, event);
    return event as KubeObject as T;
  }

  async patch<T extends KubeObject>(_kind: Kind<T>, { name }: ObjectKey, { patch }: Patch): Promise<T> {
    await this.#answer('patch');
    const event = this.events.get(name);
    if (event === undefined) throw new TypedError('NotFound', 'gone');
    const patched = { ...event, ...(patch as object) };
    this.events.set(name, patched);
    return patched as KubeObject as T;
  }

  get all(): Event[] {
    return [...this.events.values()];
  }

  async #answer(call: string): Promise<void> {
    this.calls.push(call);
    if (this.hangs) await new Promise(() => undefined);
    if (this.error !== undefined) throw this.error;
  }
}

const web: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
};
const promoted: EventInput = {
  type: 'Normal',
  reason: 'Promoted',
  action: 'Promote',
  note: 'It is in prod.',
};

function start() {
  const server = new EventServer();
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const dropped: string[] = [];
  let salt = 0;
  const recorder = new EventRecorder({
    client: server,
    clock,
    log: recordLog(),
    metrics: { ...noMetrics, eventDropped: (reason) => dropped.push(reason) },
    reporter: { controller: 'interlock.dev/test', instance: 'pod-1' },
    random: () => 0.5 + ++salt / 1_000_000,
  });
  const stop = new AbortController();
  const ended = recorder.run(stop.signal);
  const end = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  return { server, clock, recorder, dropped, stop, ended, end };
}

describe('EventRecorder', () => {
  it('writes an event of events.k8s.io/v1', async () => {
    const { server, clock, recorder, end } = start();
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u2' } };
    recorder.record(web, promoted);
    recorder.record(node, promoted);
    await clock.advance(0);
    await end();
    expect(server.all).toHaveLength(2);
    expect(server.all[0]).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/), namespace: 'shop' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'Promoted',
      action: 'Promote',
      note: 'It is in prod.',
      regarding: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        uid: 'u1',
        resourceVersion: '7',
      },
      reportingController: 'interlock.dev/test',
      reportingInstance: 'pod-1',
    });
    expect(server.all[1]?.metadata.namespace).toBe('default');
  });

  it('counts repetitions in a series, which is written twice and then once a minute', async () => {
    const { server, clock, recorder, end } = start();
    for (let i = 0; i < 120; i++) {
      recorder.record(web, promoted);
      await clock.advance(1_000);
    }
    await end();
    expect(server.calls).toEqual(['create', 'patch', 'patch']);
    expect(server.all).toHaveLength(1);
    expect(server.all[0]?.series).toEqual({ count: 61, lastObservedTime: '2026-01-01T00:01:00.000000Z' });
  });

  it('begins a new series after ten quiet minutes, and for an event that differs', async () => {
    const { server, clock, recorder, end } = start();
    recorder.record(web, promoted);
    await clock.advance(10 * minute);
    recorder.record(web, promoted);
    recorder.record(web, { ...promoted, note: 'It is in test.' });
    recorder.record({ ...web, metadata: { ...web.metadata, uid: 'u9' } }, promoted);
    await clock.advance(0);
    await end();
    expect(server.all.map(({ series }) => series)).toEqual([undefined, undefined, undefined, undefined]);
    expect(new Set(server.events.keys()).size).toBe(4);
  });

  it('continues with a new event if the old one has expired', async () => {
    const { server, clock, recorder, end } = start();
    recorder.record(web, promoted);
    await clock.advance(minute);
    server.events.clear();
    recorder.record(web, promoted);
    await clock.advance(0);
    await end();
    expect(server.all.map(({ series }) => series?.count)).toEqual([2]);
  });

  it('records changes of conditions only', async () => {
    const { server, clock, recorder, end } = start();
    const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
      type,
      status,
      reason,
      message: `${type} is ${status}.`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const before = [condition('Ready', 'True', 'Fine'), condition('Promoted', 'False', 'Waiting')];
    const after = [condition('Ready', 'False', 'Broken'), condition('Promoted', 'False', 'Waiting')];
    recorder.recordTransitions(web, 'Reconcile', before, after);
    recorder.recordTransitions(web, 'Reconcile', after, after);
    await clock.advance(0);
    await end();
    expect(server.all.map((event) => [event.type, event.reason, event.note])).toEqual([
      ['Warning', 'Broken', 'Ready is False.'],
    ]);
  });

  it.each([
    ['ascii', 'x'.repeat(5_000)],
    ['four bytes a character', '😀'.repeat(1_000)],
    ['three bytes a character, shifted', `a${'€'.repeat(1_000)}`],
  ])('cuts a long note to 1024 bytes: %s', async (_case, note) => {
    const { server, clock, recorder, end } = start();
    recorder.record({ ...web, metadata: { ...web.metadata, name: 'n'.repeat(253) } }, { ...promoted, note });
    await clock.advance(0);
    await end();
    const [event] = server.all;
    expect(Buffer.byteLength(event!.note!)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(event!.note!)).toBeGreaterThan(1016);
    expect(event!.note).not.toContain('\uFFFD');
    expect(event!.metadata.name.length).toBeLessThanOrEqual(253);
  });
});

describe('EventRecorder when the server fails', () => {
  it('repeats after transient failures, and finally gives up', async () => {
    const { server, clock, recorder, dropped, end } = start();
    server.error = new TypedError('Transient', 'away');
    recorder.record(web, promoted);
    await clock.advance(1_000);
    server.error = undefined;
    await clock.advance(5 * minute);
    expect([server.all.length, dropped]).toEqual([1, []]);
    server.error = new TypedError('Transient', 'away');
    recorder.record(web, { ...promoted, reason: 'Other' });
    await clock.advance(60 * minute);
    expect(dropped).toEqual(['refused']);
    await end();
  });

  it('treats an event as written if the server has it, although the answer was lost', async () => {
    const { server, clock, recorder, dropped, end } = start();
    server.error = new TypedError('Conflict', 'exists', { reason: 'AlreadyExists' });
    recorder.record(web, promoted);
    await clock.advance(minute);
    await end();
    expect([server.calls, dropped]).toEqual([['create'], []]);
  });

  it('drops an event whose namespace is terminating', async () => {
    const { server, clock, recorder, dropped, end } = start();
    server.error = new TypedError('Conflict', 'the namespace is being terminated', { reason: 'Forbidden' });
    recorder.record(web, promoted);
    await clock.advance(10 * minute);
    await end();
    expect([server.calls, dropped]).toEqual([['create'], ['refused']]);
  });

  it('drops an event that is refused', async () => {
    const { server, clock, recorder, dropped, end } = start();
    server.error = new TypedError('Invalid', 'bad');
    recorder.record(web, promoted);
    await clock.advance(10 * minute);
    await end();
    expect([server.calls, dropped]).toEqual([['create'], ['refused']]);
  });

  it('holds a limited number of events, and ends even if the server does not answer', async () => {
    const { server, clock, recorder, dropped, stop, ended } = start();
    server.hangs = true;
    for (let i = 0; i < 1_500; i++) recorder.record(web, { ...promoted, note: `Event ${i}.` });
    await clock.advance(0);
    expect([server.calls.length, dropped.length]).toEqual([1, 499]);
    stop.abort();
    await clock.advance(2_000);
    await ended;
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the queued events that occur again while the queue is full', async () => {
    const { server, clock, recorder, dropped, end } = start();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i <= 1_000; i++) recorder.record(web, { ...promoted, note: `Event ${i}.` });
    }
    await clock.advance(0);
    await end();
    expect([server.all.length, dropped.length]).toEqual([1_001, 0]);
  });

  it('keeps no count of attempts for a series that it forgot while its event could not be written', async () => {
    const { server, clock, recorder, dropped } = start();
    recorder.record(web, promoted);
    await clock.advance(0);
    server.error = new TypedError('Transient', 'away');
    recorder.record(web, promoted);
    await clock.advance(0);
    /* The series of other events replace the series. */
    server.error = undefined;
    for (let i = 0; i < 5; i++) {
      for (let j = 0; j < 900; j++) recorder.record(web, { ...promoted, note: `Event ${i * 900 + j}.` });
      await clock.advance(0);
    }
    await clock.advance(minute);
    /* The same event may be attempted as often as any other. */
    server.error = new TypedError('Transient', 'away');
    server.calls.length = 0;
    recorder.record(web, promoted);
    await clock.advance(60 * minute);
    expect(server.calls).toHaveLength(6);
    expect(dropped).toEqual(['refused']);
  });

  it('writes queued events before it ends', async () => {
    const { server, recorder, end } = start();
    for (let i = 0; i < 20; i++) recorder.record(web, { ...promoted, note: `Event ${i}.` });
    await end();
    expect(server.all).toHaveLength(20);
  });

  it('writes queued events before it ends, although their notes contain slashes', async () => {
    const { server, recorder, end } = start();
    for (let i = 0; i < 3; i++) recorder.record(web, { ...promoted, note: `Merged shop/${i}.` });
    await end();
    expect(server.all.map(({ note }) => note)).toEqual([
      'Merged shop/0.',
      'Merged shop/1.',
      'Merged shop/2.',
    ]);
  });
});
