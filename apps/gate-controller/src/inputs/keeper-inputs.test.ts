import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GateKeeper, TypedError, typeMeta, type KubeObject } from '@interlock/api';
import { aborted, silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { ConfigMap, type Client } from '@interlock/kube';
import { eventually, MemoryCache } from '@interlock/kube/testing';
import { KeeperInputs } from './keeper-inputs.js';

const text = 'BEGIN:VCALENDAR';
const keeper: GateKeeper = {
  ...typeMeta(GateKeeper),
  metadata: { name: 'holidays', namespace: 'team' },
  spec: {
    gate: 'freeze',
    type: 'calendar',
    calendar: { configMapRef: { name: 'calendar', key: 'ics' }, timeZone: 'UTC', effect: 'Closed' },
  },
};

let clock: FakeClock;
let data: Record<string, string> | undefined;
let inputs: KeeperInputs;
let stop: () => Promise<void>;

/** A client that reads one ConfigMap, and never ends a list. */
const client = {
  resolveKind: () => Promise.resolve(ConfigMap),
  get: () =>
    data === undefined
      ? Promise.reject(new TypedError('NotFound', 'there is no such object'))
      : Promise.resolve({
          ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
          metadata: { name: 'calendar', namespace: 'team', uid: 'u', resourceVersion: JSON.stringify(data) },
        } as KubeObject),
  async *listPages(_kind: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<never> {
    await aborted(signal);
  },
} as unknown as Client;

beforeEach(() => {
  clock = new FakeClock(Date.UTC(2030, 5, 1));
  data = { ics: text };
  const fetchCalendar = () => Promise.reject(new TypedError('NotFound', 'there is no such calendar'));
  const keepers = new MemoryCache(GateKeeper);
  inputs = new KeeperInputs(keepers, { client, clock, log: silentLog, random: () => 0, fetchCalendar });
  keepers.set(keeper);
  const abort = new AbortController();
  const ended = inputs.run(abort.signal);
  stop = async () => {
    abort.abort();
    await ended;
  };
});

afterEach(() => stop());

async function becomes(next: Record<string, string> | undefined): Promise<void> {
  data = next;
  await clock.advance(30_000);
  await eventually(() => expect(inputs.calendarText(keeper)).toBe(next?.['ics']));
}

it.each([
  ['is gone', undefined],
  ['no longer has the text', { other: '' }],
])(
  'a calendar is not kept in memory when its ConfigMap %s, although its gate does not exist',
  async (_case, next) => {
    await eventually(() => expect(inputs.of(keeper)).toBeDefined());
    await becomes(next);
    await becomes({ ics: text });
    expect(inputs.of(keeper)).toBeUndefined();
  },
);

it('a calendar is kept in memory when another part of its ConfigMap changes', async () => {
  await eventually(() => expect(inputs.of(keeper)).toBeDefined());
  await becomes({ ics: text, other: '' });
  expect(inputs.of(keeper)).toBeDefined();
});
