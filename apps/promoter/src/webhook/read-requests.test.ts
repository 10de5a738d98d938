import { expect, it } from '@jest/globals';
import { annotations, TypedError, type ObjectKey } from '@interlock/api';
import { FakeClock, recordLog } from '@interlock/base/testing';
import { gitRepository } from '../testing/objects.js';
import { ReadRequests } from './read-requests.js';

const repository = gitRepository();

it('annotates an object at once, and then once in two seconds however many events arrive', async () => {
  const clock = new FakeClock(0);
  const patched: unknown[] = [];
  const patch = (...[, key, { patch: body }]: [unknown, unknown, { patch: unknown }]): Promise<never> => {
    patched.push([key, body]);
    return Promise.reject(new TypedError('NotFound', 'it was deleted meanwhile'));
  };
  const requests = new ReadRequests({ patch }, clock, recordLog());
  for (let event = 0; event < 30; event++) await requests.refresh(repository);
  const at = (time: string) => [
    { namespace: 'team', name: 'web' },
    { metadata: { annotations: { [annotations.refreshedAt]: time } } },
  ];
  expect(patched).toEqual([at('1970-01-01T00:00:00.000Z')]);
  await clock.advance(1_999);
  expect(patched).toHaveLength(1);
  await clock.advance(1);
  expect(patched).toEqual([at('1970-01-01T00:00:00.000Z'), at('1970-01-01T00:00:02.000Z')]);
  await clock.advance(60_000);
  expect(patched).toHaveLength(2);
});

it('does not fail for an object that is invalid to change, but for an API server that does not answer', async () => {
  const error = (type: 'Invalid' | 'Transient') => new TypedError(type, 'metadata.annotations: Too long');
  const refresh = (type: 'Invalid' | 'Transient') =>
    new ReadRequests({ patch: () => Promise.reject(error(type)) }, new FakeClock(0), recordLog()).refresh(
      repository,
    );
  await expect(refresh('Invalid')).resolves.toBeUndefined();
  await expect(refresh('Transient')).rejects.toThrow('Too long');
});

it('annotates one object of a namespace at a time, beside those of other namespaces', async () => {
  const clock = new FakeClock(0);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const patch = (...[, { namespace, name }]: [unknown, ObjectKey, unknown]): Promise<never> => {
    started.push(`${namespace}/${name}`);
    return new Promise((_, reject) => ends.push(() => reject(new TypedError('NotFound', 'it was deleted'))));
  };
  const requests = new ReadRequests({ patch }, clock, recordLog());
  const named = (namespace: string, name: string) => ({ ...repository, metadata: { namespace, name } });
  const all = [named('a', '1'), named('a', '2'), named('b', '1')].map((one) => requests.refresh(one));
  await clock.advance(0);
  expect(started).toEqual(['a/1', 'b/1']);
  for (const end of ends.splice(0)) end();
  await clock.advance(0);
  expect(started).toEqual(['a/1', 'b/1', 'a/2']);
  for (const end of ends) end();
  await Promise.all(all);
});
