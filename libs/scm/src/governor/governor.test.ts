import { setImmediate as nextTurn } from 'node:timers/promises';
import { TypedError } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Priority } from './budget.js';
import { Governor, type GovernorOptions } from './governor.js';

let clock: FakeClock;
const opened: (() => void)[] = [];

function governor(options: Partial<GovernorOptions> = {}): Governor {
  return new Governor({
    clock,
    random: () => 0.5,
    concurrency: 2,
    queueLimit: 100,
    maxWaitMs: 10_000,
    writes: { burst: 100, perSecond: 100 },
    ...options,
  });
}

/** Returns a task that runs until the test ends it. */
function held(): { task: () => Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (end = resolve));
  opened.push(end);
  return { task: () => gate, end };
}

const read = (priority: Priority = 'read') => ({ priority, mutates: false });
const settled = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => {
  for (const end of opened.splice(0)) end();
});

describe('Governor', () => {
  test('returns the result of a task, or throws the error of the task', async () => {
    await expect(governor().run(read(), () => Promise.resolve(7))).resolves.toBe(7);
    await expect(governor().run(read(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('never runs more calls at once than its concurrency, and releases the place of a failed call', async () => {
    const it = governor();
    let running = 0;
    let most = 0;
    const task = async (fails: boolean): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      if (fails) throw new Error('task');
    };
    const all = Array.from({ length: 20 }, (_, i) =>
      settled(it.run(read('critical'), () => task(i % 3 === 0))),
    );
    await Promise.all(all);
    expect(most).toBe(2);
    expect(it.waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])('keeps its pauses when the clock changes by %d ms', async (stepMs) => {
    const it = governor();
    expect(it.refused(5_000)).toBe(5_000);
    it.learn({ limit: 5000, remaining: 4000, resetAt: clock.now() + 60_000 });
    clock.set(stepMs);
    let done = false;
    const call = it.run(read(), () => Promise.resolve()).then(() => (done = true));
    await clock.advance(4_999);
    expect(done).toBe(false);
    await clock.advance(1);
    await call;
    expect(done).toBe(true);
  });

  test('defers text when the content limit of an hour is used up, and allows merges', async () => {
    const it = governor({ writes: { burst: 100, perSecond: 100, contentPerHour: 10 } });
    const change = (priority: Priority): Promise<string> =>
      it.run({ priority, mutates: true }, () => Promise.resolve(priority));
    for (let count = 0; count < 7; count++) expect(await change('text')).toBe('text');
    const deferred = {
      type: 'RateLimited',
      reason: 'ContentLimit',
      message: expect.stringContaining('(10)'),
    };
    await expect(change('text')).rejects.toMatchObject(deferred);
    expect(await change('write')).toBe('write');
    expect(await change('write')).toBe('write');
    await expect(change('write')).rejects.toMatchObject(deferred);
    expect(await change('critical')).toBe('critical');
    expect(await change('status')).toBe('status');
    await clock.advance(3_600_000);
    expect(await change('text')).toBe('text');
  });

  test('reserves a place for a merge when polls are slow', async () => {
    const it = governor({ concurrency: 3 });
    const slow = [held(), held(), held()];
    const polls = slow.map(({ task }) => it.run(read(), task));
    expect(it.waiting).toBe(1);
    await expect(it.run(read('critical'), () => Promise.resolve('merged'))).resolves.toBe('merged');
    for (const { end } of slow) end();
    await Promise.all(polls);
  });

  test('starts the most urgent call first, and equally urgent calls in order', async () => {
    const it = governor({ concurrency: 1 });
    const first = held();
    const blocker = it.run(read(), first.task);
    const order: string[] = [];
    const enter = (priority: Priority, name: string) =>
      it.run(read(priority), () => Promise.resolve(void order.push(name)));
    const rest = [
      enter('read', 'read'),
      enter('status', 'status 1'),
      enter('write', 'write'),
      enter('status', 'status 2'),
      enter('critical', 'critical'),
    ];
    first.end();
    await Promise.all([blocker, ...rest]);
    expect(order).toEqual(['critical', 'write', 'status 1', 'status 2', 'read']);
  });

  test('applies a pause to every caller, and runs all calls after it', async () => {
    const it = governor();
    it.refused(5_000);
    let done = 0;
    const calls = [read('critical'), read('read')].map((call) =>
      it.run(call, () => Promise.resolve(void (done += 1))),
    );
    await clock.advance(4_999);
    expect(done).toBe(0);
    await clock.advance(1);
    await Promise.all(calls);
    expect(done).toBe(2);
  });

  test('starts nothing during a pause of 30 s, and the most urgent call first after it', async () => {
    const it = governor();
    it.refused(30_000);
    const order: string[] = [];
    const enter = (priority: Priority) =>
      it.run(read(priority), () => Promise.resolve(void order.push(priority)));
    for (const priority of ['read', 'critical'] as const) {
      expect(await settled(enter(priority))).toMatchObject({ type: 'RateLimited' });
    }
    await clock.advance(21_000);
    const calls = (['read', 'status', 'write', 'critical'] as const).map(enter);
    await clock.advance(8_999);
    expect(order).toEqual([]);
    await clock.advance(1);
    await Promise.all(calls);
    expect(order).toEqual(['critical', 'write', 'status', 'read']);
  });

  test('refuses a call that would wait beyond the bound at once, with the remaining time and jitter', async () => {
    const it = governor();
    it.refused(60_000);
    const error = await settled(it.run(read(), () => Promise.resolve()));
    expect(error).toBeInstanceOf(TypedError);
    expect(error).toMatchObject({ type: 'RateLimited', retryAfterMs: 63_000 });
    expect(clock.pendingTimers).toBe(0);
  });

  test('refuses waiting callers when the pause becomes too long', async () => {
    const it = governor();
    it.refused(5_000);
    const waiting = settled(it.run(read(), () => Promise.resolve()));
    it.refused(60_000);
    await clock.advance(5_000);
    expect(await waiting).toMatchObject({ type: 'RateLimited' });
  });

  test('stops polls before the limit is used up, and continues merges', async () => {
    const it = governor();
    it.learn({ limit: 100, remaining: 10, resetAt: clock.now() + 3_600_000 });
    expect(await settled(it.run(read(), () => Promise.resolve()))).toMatchObject({ type: 'RateLimited' });
    await expect(it.run(read('critical'), () => Promise.resolve('merged'))).resolves.toBe('merged');
  });

  test('refuses a call that cannot get a place in time', async () => {
    const it = governor({ concurrency: 1 });
    const first = held();
    const blocker = it.run(read(), first.task);
    const late = settled(it.run(read(), () => Promise.resolve()));
    await clock.advance(10_000);
    expect(await late).toMatchObject({ type: 'RateLimited', reason: 'Busy', retryAfterMs: 7_500 });
    first.end();
    await blocker;
  });

  test('drops the newest of the least urgent calls from a full queue', async () => {
    const it = governor({ concurrency: 1, queueLimit: 2 });
    const first = held();
    const blocker = it.run(read(), first.task);
    const outcome: Record<string, unknown> = {};
    const enter = (name: string, priority: Priority) =>
      it
        .run(read(priority), () => Promise.resolve())
        .then(
          () => (outcome[name] = 'ran'),
          (error: unknown) => (outcome[name] = error instanceof TypedError ? error.type : error),
        );
    const all = [enter('old read', 'read'), enter('new read', 'read'), enter('merge', 'critical')];
    await nextTurn();
    expect(outcome).toEqual({ 'new read': 'RateLimited' });
    first.end();
    await Promise.all([blocker, ...all]);
    expect(outcome).toEqual({ 'new read': 'RateLimited', merge: 'ran', 'old read': 'ran' });
  });

  test('spreads the retries of a backlog of writes over the time that the backlog takes', async () => {
    let turn = 0;
    const it = governor({ random: () => (turn = (turn + 0.37) % 1), writes: { burst: 1, perSecond: 1 } });
    const write = { priority: 'status', mutates: true } as const;
    const calls = Array.from({ length: 100 }, () => settled(it.run(write, () => Promise.resolve('ran'))));
    await clock.advance(10_000);
    const outcomes = await Promise.all(calls);
    const waits = outcomes.flatMap((outcome) =>
      outcome instanceof TypedError ? [outcome.retryAfterMs ?? 0] : [],
    );
    expect(outcomes.filter((outcome) => outcome === 'ran')).toHaveLength(11);
    expect(waits).toHaveLength(89);
    expect(Math.max(...waits)).toBeLessThanOrEqual(100_000);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(10_000);
  });

  test('removes an aborted call from the queue with the reason of the signal', async () => {
    const it = governor({ concurrency: 1 });
    const first = held();
    const blocker = it.run(read(), first.task);
    const abort = new AbortController();
    let started = false;
    const call = settled(
      it.run({ ...read(), signal: abort.signal }, () => Promise.resolve(void (started = true))),
    );
    abort.abort(new Error('stop'));
    expect(await call).toMatchObject({ message: 'stop' });
    expect(it.waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    first.end();
    await blocker;
    expect(started).toBe(false);
    const gone = it.run({ ...read(), signal: abort.signal }, () => Promise.resolve());
    await expect(gone).rejects.toThrow('stop');
  });

  test('delays the next write by the pace, while a read starts at once', async () => {
    const it = governor({ writes: { burst: 1, perSecond: 1 } });
    const order: string[] = [];
    const enter = (name: string, call: { priority: Priority; mutates: boolean }) =>
      it.run(call, () => Promise.resolve(void order.push(name)));
    const write = { priority: 'write', mutates: true } as const;
    const all = [enter('write 1', write), enter('write 2', write), enter('read', read())];
    await nextTurn();
    expect(order).toEqual(['write 1', 'read']);
    await clock.advance(1000);
    await Promise.all(all);
    expect(order).toEqual(['write 1', 'read', 'write 2']);
  });
});
