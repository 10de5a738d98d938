import { FakeClock } from '@interlock/base/testing';
import { Secret, type CacheEvent, type Manager } from '@interlock/kube';
import { expect, test } from '@jest/globals';
import { Credentials } from './credentials.js';

const start = Date.UTC(2026, 0, 1);

function fixture() {
  const clock = new FakeClock(start);
  let object: Secret | undefined;
  let handler: (event: CacheEvent<Secret>) => void = () => undefined;
  const cache = { get: () => object, subscribe: (subscribed: typeof handler) => (handler = subscribed) };
  const credentials = new Credentials({ clock, cache: () => cache } as unknown as Manager, 'config');
  const write = (time: number, event: { type: 'added'; initial: boolean } | { type: 'updated' }): void => {
    const before = object;
    const managedFields = [{ time: new Date(time).toISOString() }];
    const { kind } = Secret;
    object = { apiVersion: 'v1', kind, metadata: { name: 'token', namespace: 'config', managedFields } };
    if (event.type === 'added') handler({ ...event, object });
    else handler({ type: 'updated', object, old: before ?? object });
  };
  return { clock, credentials, write };
}

test('returns when a Secret was written before the start', () => {
  const { credentials, write } = fixture();

  write(start - 60_000, { type: 'added', initial: true });

  expect(credentials.changedAt('token')).toBe(start - 60_000);
  expect(credentials.changedAt('other')).toBeUndefined();
});

test.each([
  ['before the start', { type: 'added', initial: true }],
  ['after the start', { type: 'updated' }],
] as const)('reports no change in the future when the API server is ahead: written %s', (_, event) => {
  const { credentials, write } = fixture();

  write(start + 300_000, event);

  expect(credentials.changedAt('token')).toBe(start);
});
