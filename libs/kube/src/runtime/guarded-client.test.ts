import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../client/kinds.js';
import type { CallOptions, Client } from '../client/types.js';
import { guardWrites } from './guarded-client.js';

const key = { namespace: 'ns', name: 'a' };
const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };

const writes: [string, (client: Client, options?: CallOptions) => Promise<unknown>][] = [
  ['create', (client, options) => client.create(ConfigMap, object, options)],
  ['update', (client, options) => client.update(ConfigMap, object, options)],
  ['patch', (client, options) => client.patch(ConfigMap, key, { type: 'merge', patch: {} }, options)],
  [
    'apply',
    (client, options) => client.apply(ConfigMap, object as never, { ...options, fieldManager: 'test' }),
  ],
  ['delete', (client, options) => client.delete(ConfigMap, key, options)],
  ['raw POST', (client, options) => client.raw({ method: 'POST', path: '/x' }, options)],
];
const reads: [string, (client: Client) => unknown][] = [
  ['get', (client) => client.get(ConfigMap, key)],
  ['list', (client) => client.list(ConfigMap)],
  ['listPages', (client) => client.listPages(ConfigMap)],
  ['watch', (client) => client.watch(ConfigMap, { resourceVersion: '1' })],
  ['resolveKind', (client) => client.resolveKind('v1', 'ConfigMap')],
  ['raw GET', (client) => client.raw({ method: 'GET', path: '/x' })],
];

/** Returns a client whose calls end with their signal only; it records each call by its verb. */
function hangingClient() {
  const calls: { verb: string; signal: AbortSignal | undefined }[] = [];
  const hang = (verb: string, options?: CallOptions) => {
    calls.push({ verb, signal: options?.signal });
    return new Promise<never>((_, reject) =>
      options?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  };
  const client: Client = {
    get: (_kind, _key, options) => hang('get', options),
    list: (_kind, options) => hang('list', options),
    listPages: (_kind, options) => ({
      [Symbol.asyncIterator]: () => ({ next: () => hang('listPages', options) }),
    }),
    watch: (_kind, options) => ({ [Symbol.asyncIterator]: () => ({ next: () => hang('watch', options) }) }),
    create: (_kind, _object, options) => hang('create', options),
    update: (_kind, _object, options) => hang('update', options),
    patch: (_kind, _key, _patch, options) => hang('patch', options),
    apply: (_kind, _object, options) => hang('apply', options),
    delete: (_kind, _key, options) => hang('delete', options),
    resolveKind: (_apiVersion, _kind, options) => hang('resolveKind', options),
    raw: ({ method }, options) => hang(`raw ${method}`, options),
    close: () => Promise.resolve(),
  };
  return { client, calls };
}

describe('guardWrites', () => {
  it.each(writes)(
    'refuses %s without permission, and aborts a running call when the permission is lost',
    async (verb, write) => {
      const revoked = new AbortController();
      let leads = true;
      const { client, calls } = hangingClient();
      const guarded = guardWrites(client, { mayWrite: () => leads, revoked: revoked.signal });
      const own = new AbortController();
      const underWay = write(guarded);
      const cancelled = write(guarded, { signal: own.signal });
      leads = false;
      await expect(write(guarded)).rejects.toMatchObject({ type: 'Conflict', reason: 'LeadershipLost' });
      expect(calls.map((call) => call.verb)).toEqual([verb, verb]);
      own.abort();
      await expect(cancelled).rejects.toThrow('aborted');
      expect(calls[0]?.signal?.aborted).toBe(false);
      revoked.abort();
      await expect(underWay).rejects.toThrow('aborted');
      leads = true;
      await expect(write(guarded)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    },
  );

  it.each(reads)('allows %s', (_verb, read) => {
    const { client } = hangingClient();
    const guarded = guardWrites(client, { mayWrite: () => false, revoked: AbortSignal.abort() });
    expect(() => void read(guarded)).not.toThrow();
  });
});
