import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TypedError, type KubeObject } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { ConfigMap, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ObjectBudget } from './object-budget.js';
import { ResourceWatch } from './resource-watch.js';

const tooMuch = { reason: 'LimitExceeded', transient: false };
let objects: Map<string, KubeObject>;
/** The answers to reads that a change has overtaken. */
let outdated: Map<string, KubeObject>;
let budget: ObjectBudget;
/** The watches that have a slot. */
let held: Set<object>;
let clock: FakeClock;
let stops: (() => Promise<void>)[];
/** Resolves when the watches may end. */
let ending: Promise<void>;

const configMap = (name: string, text: string, resourceVersion = '1'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team', uid: name, resourceVersion },
    data: { text },
  }) as KubeObject;

/** The calls of a client that a watch of one object makes; the watch never reports a change. */
function clientOf(): Client {
  const calls = {
    resolveKind: () => Promise.resolve(ConfigMap),
    get: (_kind: unknown, { name }: { name: string }) => {
      const object = outdated.get(name) ?? objects.get(name);
      return object === undefined
        ? Promise.reject(new TypedError('NotFound', `${name} does not exist`))
        : Promise.resolve(object);
    },
    async *listPages(_kind: unknown, { fieldSelector = '' }: { fieldSelector?: string }) {
      await Promise.resolve();
      const object = objects.get(fieldSelector.slice('metadata.name='.length));
      yield { items: object === undefined ? [] : [object], resourceVersion: '1' };
    },
    async *watch(_kind: unknown, { signal }: { signal?: AbortSignal }): AsyncGenerator<never> {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      await ending;
    },
  };
  return calls as unknown as Client;
}

/** Follows a ConfigMap, by a watch or by polling. */
function follow(name: string, mayWatch: boolean): { watch: ResourceWatch; stop: () => Promise<void> } {
  const abort = new AbortController();
  const slots = {
    take: (_namespace: string, holder: object) => mayWatch && held.add(holder).has(holder),
    release: (_namespace: string, holder: object) => void held.delete(holder),
  };
  const dependencies = { client: clientOf(), clock, log: silentLog, random: () => 0, budget, slots };
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name };
  const watch = new ResourceWatch(ref, dependencies, () => undefined);
  const ended = watch.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await ended;
  };
  stops.push(stop);
  return { watch, stop };
}

beforeEach(() => {
  clock = new FakeClock();
  stops = [];
  ending = Promise.resolve();
  outdated = new Map();
  held = new Set();
  budget = new ObjectBudget(1_000);
  objects = new Map(['a', 'b'].map((name) => [name, configMap(name, 'x'.repeat(600))]));
});

afterEach(async () => {
  for (const stop of stops) await stop();
});

describe.each([
  ['watched', true],
  ['polled', false],
])('objects that are %s', (_how, mayWatch) => {
  it('have a limit together, and one beyond it is read when there is room', async () => {
    const first = follow('a', mayWatch);
    await eventually(() => expect(first.watch.reading).toMatchObject({ data: expect.anything() }));
    const second = follow('b', mayWatch);
    await eventually(() => expect(second.watch.reading).toMatchObject(tooMuch));
    await first.stop();
    await clock.advance(30_000);
    await eventually(() => expect(second.watch.reading).toMatchObject({ data: expect.anything() }));
  });

  it('give their room back when they are gone', async () => {
    const first = follow('a', false);
    await eventually(() => expect(first.watch.reading).toMatchObject({ data: expect.anything() }));
    objects.delete('a');
    await clock.advance(30_000);
    await eventually(() => expect(first.watch.reading).toMatchObject({ reason: 'NotFound' }));
    const second = follow('b', mayWatch);
    await eventually(() => expect(second.watch.reading).toMatchObject({ data: expect.anything() }));
  });
});

it('an object that is followed again keeps its room when the former watch ends after that', async () => {
  budget = new ObjectBudget(1_500);
  let end = (): void => undefined;
  ending = new Promise((resolve) => (end = resolve));
  const former = follow('a', true);
  await eventually(() => expect(former.watch.reading).toMatchObject({ data: expect.anything() }));
  const stopped = former.stop();
  const next = follow('a', true);
  await eventually(() => expect(next.watch.reading).toMatchObject({ data: expect.anything() }));
  end();
  await stopped;
  objects.set('b', configMap('b', 'x'.repeat(1_000)));
  const other = follow('b', true);
  await eventually(() => expect(other.watch.reading).toMatchObject(tooMuch));
});

it('a watch keeps its slot until it has ended', async () => {
  let end = (): void => undefined;
  ending = new Promise((resolve) => (end = resolve));
  const { watch, stop } = follow('a', true);
  await eventually(() => expect(watch.reading).toMatchObject({ data: expect.anything() }));
  const stopped = stop();
  expect(held.size).toBe(1);
  end();
  await stopped;
  expect(held.size).toBe(0);
});

it('an object beyond the limit is not replaced by an earlier version of it that was small', async () => {
  objects.set('a', configMap('a', 'x'.repeat(1_000), '2'));
  outdated.set('a', configMap('a', '', '1'));
  const { watch } = follow('a', true);
  await eventually(() => expect(watch.reading).toMatchObject(tooMuch));
  await clock.advance(30_000);
  await clock.advance(30_000);
  expect(watch.reading).toMatchObject(tooMuch);
});
