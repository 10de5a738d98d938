import { conditionSeverity, TypedError, type ErrorType, type ObjectKey } from '@interlock/api';
import { Problem, silentLog } from '@interlock/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { reconcileOf } from '../src/reconciler/run.js';
import { Failure, Later, type Concluded, type Reconciler } from '../src/reconciler/types.js';
import { getCondition, markReady, markReconciling } from '../src/runtime/conditions.js';
import type { EventInput } from '../src/runtime/event-object.js';
import { MemoryCache } from '../src/testing/memory-cache.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';

type WidgetReconciler = Reconciler<Widget, { widget: Widget; limit: number }, 'grow' | 'wait', number>;

let widgets: WidgetCluster;
beforeAll(async () => {
  widgets = await startWidgetCluster();
});
afterAll(() => widgets.close());

let cache: MemoryCache<Widget>;
let events: EventInput[];
beforeEach(() => {
  cache = new MemoryCache(Widget);
  events = [];
});

const grown: EventInput = { type: 'Normal', reason: 'Grown', action: 'Grow', note: 'it is larger now' };

/** A reconciler that grows widgets up to a limit, and whose status reports the outcome of the act. */
const plain: WidgetReconciler = {
  name: 'widget',
  transitions: { of: [] },
  for: { kind: Widget },
  observe: (widget) => ({ widget, limit: 3 }),
  decide: ({ widget, limit }) => (widget.spec.size < limit ? 'grow' : 'wait'),
  act: (_decision, { limit }) => Promise.resolve(limit),
  conclude({ widget: { metadata, status } }, decision, outcome, now) {
    if (decision === 'wait') return {};
    const { generation } = metadata;
    if (outcome instanceof Failure && !outcome.lasts) return {};
    if (outcome instanceof Failure)
      return {
        status: {
          ...status,
          conditions: markReconciling(status?.conditions, outcome.error, generation, now),
        },
      };
    const synced = { reason: 'Grown', message: '' };
    return {
      status: { size: outcome, conditions: markReady(status?.conditions, synced, generation, now) },
      happened: [grown],
    };
  },
};

async function widget(name: string): Promise<ObjectKey> {
  cache.set(await widgets.createWidget(name));
  return { namespace, name };
}

function runnerOf(changes: Partial<WidgetReconciler> = {}) {
  let time = 0;
  const reconcile = reconcileOf(
    { ...plain, ...changes },
    {
      kind: Widget,
      cache,
      client: widgets.client,
      clock: { now: () => time },
      events: {
        record: (_object, event) => void events.push(event),
        recordTransitions: (_object, action, _before, after = []) =>
          events.push(
            ...after.map((one) => ({
              type: conditionSeverity(one),
              reason: one.reason,
              action,
              note: one.message,
            })),
          ),
      },
    },
  );
  return async (key: ObjectKey, now = 0) => {
    time = now;
    const result = await reconcile(key, { now, signal: new AbortController().signal, log: silentLog });
    return result ?? {};
  };
}

const statusOf = async (key: ObjectKey) => (await widgets.client.get(Widget, key)).status;
const failing = (type: ErrorType, options = {}) => ({
  act: () => Promise.reject(new TypedError(type, 'it does not grow', { reason: 'Stunted', ...options })),
});

describe('a reconciler', () => {
  it('writes the concluded status after its act, and records the events', async () => {
    const key = await widget('grows');
    expect(await runnerOf()(key)).toEqual({});
    const status = await statusOf(key);
    expect(status?.size).toBe(3);
    expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Grown' });
    expect(events).toEqual([grown]);
  });

  it('writes nothing if it concludes without a status', async () => {
    const key = await widget('waits');
    await runnerOf({ decide: () => 'wait' })(key);
    expect(await statusOf(key)).toBeUndefined();
    expect(events).toEqual([]);
  });

  it.each([
    [true, 'Reconciling'],
    [false, 'Stalled'],
  ])('sets a condition for a problem (transient: %s), and makes no decision', async (transient, type) => {
    const key = await widget(`problem-${String(transient)}`);
    const decide = () => {
      throw new Error('decided');
    };
    await runnerOf({ observe: () => new Problem('NoLimit', 'name a limit', { transient }), decide })(key);
    const conditions = (await statusOf(key))?.conditions;
    expect(getCondition(conditions, type)).toMatchObject({ status: 'True', reason: 'NoLimit' });
    expect(getCondition(conditions, 'Ready')).toMatchObject({ status: 'False', message: 'name a limit' });
  });

  it('reconciles again when a problem requests it', async () => {
    const key = await widget('problem-later');
    const problem = new Problem('NoLimit', 'name a limit', { retryAfterMs: 7 });
    expect(await runnerOf({ observe: () => problem })(key)).toEqual({ requeueAfterMs: 7 });
  });

  it('sets a condition for a failed read when the failure lasts, and throws the error so that the read is retried', async () => {
    const key = await widget('unread');
    const error = new TypedError('RateLimited', 'not now', { reason: 'TooMany' });
    const run = runnerOf({ observe: () => new Problem(error.reason, error.message, { cause: error }) });
    await expect(run(key, 0)).rejects.toBe(error);
    expect(await statusOf(key)).toBeUndefined();
    await expect(run(key, 60_000)).rejects.toBe(error);
    const conditions = (await statusOf(key))?.conditions;
    expect(getCondition(conditions, 'Reconciling')).toMatchObject({ status: 'True', reason: 'TooMany' });
  });

  it('concludes a failed act, and throws the error so that the act is retried', async () => {
    const key = await widget('stunted');
    await expect(runnerOf(failing('Invalid'))(key)).rejects.toMatchObject({ reason: 'Stunted' });
    const conditions = (await statusOf(key))?.conditions;
    expect(getCondition(conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Stunted' });
  });

  it('reconciles again when the conclusion of a failure requests it', async () => {
    const key = await widget('again');
    const conclude = () => ({ requeueAfterMs: 7 });
    expect(await runnerOf({ ...failing('Conflict'), conclude })(key)).toEqual({ requeueAfterMs: 7 });
  });

  it('reports a transient failure only when it lasts', async () => {
    const key = await widget('slow');
    const run = runnerOf(failing('RateLimited'));
    await expect(run(key, 0)).rejects.toMatchObject({ reason: 'Stunted' });
    expect(await statusOf(key)).toBeUndefined();
    await expect(run(key, 60_000)).rejects.toMatchObject({ reason: 'Stunted' });
    const conditions = (await statusOf(key))?.conditions;
    expect(getCondition(conditions, 'Ready')).toMatchObject({ reason: 'Stunted' });
  });

  it('does not conclude an untyped error', async () => {
    const key = await widget('broken');
    const act = () => Promise.reject(new Error('a bug'));
    await expect(runnerOf({ act })(key)).rejects.toThrow('a bug');
    expect(await statusOf(key)).toBeUndefined();
  });

  /** Returns a widget that is being deleted, without a finalizer of this reconciler. */
  async function deletedWidget(name: string): Promise<ObjectKey> {
    const key = await widget(name);
    const object = await widgets.client.get(Widget, key);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    cache.set({ ...object, metadata: { ...object.metadata, deletionTimestamp } });
    return key;
  }

  it('releases its data about an object that is gone or being deleted', async () => {
    const key = await deletedWidget('goes');
    const gone: string[] = [];
    const run = runnerOf({ forgotten: ({ name }) => void gone.push(name) });
    await run(key);
    cache.remove(key);
    await run(key);
    expect(gone).toEqual(['goes', 'goes']);
    expect(await statusOf(key)).toBeUndefined();
  });

  it('waits until its data is released, and fails if the release fails', async () => {
    const forgotten = () => Promise.reject(new Error('still in use'));
    await expect(runnerOf({ forgotten })({ namespace, name: 'none' })).rejects.toThrow('still in use');
  });

  it('reconciles an object that is being deleted if the object is used until it is gone', async () => {
    const key = await deletedWidget('used');
    await runnerOf({ isUsedUntilGone: true })(key);
    expect((await statusOf(key))?.size).toBe(3);
  });

  it.each([[undefined], [7]])(
    'does nothing if the observation requests a later repetition (requeueAfterMs: %s)',
    async (afterMs) => {
      const key = await widget(`later-${afterMs}`);
      const result = await runnerOf({ observe: () => new Later(afterMs) })(key);
      expect(result.requeueAfterMs).toBe(afterMs);
      expect(await statusOf(key)).toBeUndefined();
    },
  );

  it('decides again from a fresh observation if the decision must not rely on caches', async () => {
    const key = await widget('fresh');
    const run = runnerOf({
      observe: (object, { isFresh }) => ({ widget: object, limit: isFresh ? 9 : 3 }),
      needsFresh: (decision) => decision === 'grow',
    });
    await run(key);
    expect((await statusOf(key))?.size).toBe(9);
  });

  it('reports its conclusion and the stored object', async () => {
    const key = await widget('concluded');
    const conclusions: Concluded<Widget, unknown, string, number>[] = [];
    await runnerOf({ concluded: (one) => void conclusions.push(one) })(key, 5);
    const [one] = conclusions;
    expect(one).toMatchObject({ decision: 'grow', outcome: 3, now: 5, stored: { status: { size: 3 } } });
    expect(one?.object.status).toBeUndefined();
  });
});

describe('a reconciler with a finalizer', () => {
  const name = 'widgets.example.com/grown';
  const finalizer = { name, isNeeded: (decision: string) => decision === 'grow' };

  it('stores the finalizer before the act', async () => {
    const key = await widget('guarded');
    const seen: unknown[] = [];
    const act: WidgetReconciler['act'] = async (_decision, _observed, { object }) => {
      seen.push(object.metadata.finalizers, (await widgets.client.get(Widget, key)).metadata.finalizers);
      return 3;
    };
    await runnerOf({ finalizer, act })(key);
    expect(seen).toEqual([[name], [name]]);
  });

  it('reconciles objects that are being deleted, and removes the finalizer when the conclusion requires it', async () => {
    const key = await widget('released');
    const run = runnerOf({ finalizer, conclude: (_, decision) => ({ releases: decision === 'wait' }) });
    await run(key);
    await widgets.client.delete(Widget, key);
    cache.set(await widgets.client.get(Widget, key));
    const leave = runnerOf({ finalizer, decide: () => 'wait', conclude: () => ({ releases: true }) });
    await leave(key);
    await expect(widgets.client.get(Widget, key)).rejects.toMatchObject({ type: 'NotFound' });
  });

  it('reports the conclusion even if the finalizer cannot be removed', async () => {
    const key = await widget('kept');
    await runnerOf({ finalizer })(key);
    cache.set(await widgets.client.get(Widget, key));
    const patch = { metadata: { annotations: { 'example.com/seen': 'yes' } } };
    await widgets.client.patch(Widget, key, { type: 'merge', patch });
    const decisions: string[] = [];
    const run = runnerOf({
      finalizer,
      conclude: () => ({ releases: true }),
      concluded: ({ decision }) => void decisions.push(decision),
    });
    await expect(run(key)).rejects.toMatchObject({ type: 'Conflict' });
    expect(decisions).toEqual(['grow']);
  });
});

describe('the status', () => {
  const sized = (size: number) => ({ size, conditions: [] });
  /** Writes a status without the knowledge of the reconciler. */
  const meanwhile = async (key: ObjectKey, size: number) =>
    widgets.client.apply(
      Widget,
      { metadata: { ...key }, status: sized(size) },
      { fieldManager: 'other', subresource: 'status' },
    );

  it('is not written again while it stays the same', async () => {
    const key = await widget('same');
    const sizes: (number | undefined)[] = [];
    const run = runnerOf({ written: ({ after }) => void sizes.push(after.size) });
    await run(key);
    cache.set(await widgets.client.get(Widget, key));
    await run(key);
    expect(sizes).toEqual([3]);
  });

  it.each(['record', 'replace'] as const)(
    'is not written over a version that was not observed, in the mode %s',
    async (statusMode) => {
      const key = await widget(`strict-${statusMode}`);
      await meanwhile(key, 8);
      await expect(runnerOf({ statusMode })(key)).rejects.toMatchObject({ type: 'Conflict' });
      expect((await statusOf(key))?.size).toBe(8);
    },
  );

  it('is recorded during an act on top of the writes of others', async () => {
    const key = await widget('recorded');
    await meanwhile(key, 8);
    const act: WidgetReconciler['act'] = async (_decision, _observed, { record }) => {
      const stored = await record((current) => sized((current.status?.size ?? 0) + 1));
      return stored.status?.size ?? 0;
    };
    const conclude: WidgetReconciler['conclude'] = (_observed, _decision, outcome) => ({
      status: sized(outcome instanceof Failure ? 0 : outcome + 1),
    });
    await runnerOf({ statusMode: 'replace', act, conclude })(key);
    expect((await statusOf(key))?.size).toBe(10);
  });

  it('is written during an act only on top of the observed version', async () => {
    const key = await widget('claimed');
    let acts = 0;
    const act: WidgetReconciler['act'] = async (_decision, _observed, context) => {
      acts += 1;
      await context.write(sized(1));
      if (acts === 1) return 1;
      await meanwhile(key, 8);
      await context.write(sized(2));
      throw new Error('written');
    };
    const conclude: WidgetReconciler['conclude'] = () => ({});
    const run = runnerOf({ statusMode: 'replace', act, conclude });
    await run(key);
    expect((await statusOf(key))?.size).toBe(1);
    cache.set(await widgets.client.get(Widget, key));
    await expect(run(key)).rejects.toMatchObject({ type: 'Conflict' });
    expect((await statusOf(key))?.size).toBe(8);
  });

  it('is computed from the writes of others during the act if the conclusion is a function', async () => {
    const key = await widget('follows');
    const act: WidgetReconciler['act'] = async (_decision, _observed, context) => {
      await context.record(() => sized(1));
      await meanwhile(key, 8);
      return 1;
    };
    const conclude: WidgetReconciler['conclude'] = () => (current) => {
      const size = (current.status?.size ?? 0) + 1;
      return { status: sized(size), requeueAfterMs: size, happened: [grown] };
    };
    const written: [number | undefined, number | undefined][] = [];
    const result = await runnerOf({
      statusMode: 'replace',
      act,
      conclude,
      written: ({ before, after }) => void written.push([before?.size, after.size]),
    })(key);
    expect((await statusOf(key))?.size).toBe(9);
    expect(result).toEqual({ requeueAfterMs: 9 });
    expect(events).toEqual([grown]);
    expect(written).toEqual([
      [undefined, 1],
      [8, 9],
    ]);
  });

  it('is not changed if the conclusion is a function that returns no status', async () => {
    const key = await widget('unfollowed');
    const conclude: WidgetReconciler['conclude'] = () => () => ({ requeueAfterMs: 3 });
    expect(await runnerOf({ conclude })(key)).toEqual({ requeueAfterMs: 3 });
    expect(await statusOf(key)).toBeUndefined();
  });

  it('is not recorded if the computation of the next status fails', async () => {
    const key = await widget('fails');
    let calls = 0;
    const act: WidgetReconciler['act'] = async (_decision, _observed, { record }) => {
      await record(() => {
        calls += 1;
        throw new TypedError('Conflict', 'not any more', { reason: 'Cancelled' });
      });
      return 1;
    };
    await expect(runnerOf({ act, conclude: () => ({}) })(key)).rejects.toMatchObject({ reason: 'Cancelled' });
    expect(calls).toBe(1);
  });

  it('is not recorded on a recreated object', async () => {
    const key = await widget('anew');
    await widgets.client.delete(Widget, key);
    await widgets.createWidget('anew');
    const act: WidgetReconciler['act'] = async (_decision, _observed, { record }) => {
      await record(() => sized(1));
      return 1;
    };
    await expect(runnerOf({ statusMode: 'replace', act })(key)).rejects.toMatchObject({ type: 'Conflict' });
    expect(await statusOf(key)).toBeUndefined();
  });
});
