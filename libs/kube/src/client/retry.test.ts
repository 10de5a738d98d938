import type { Clock } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { guardWrites } from '../runtime/guarded-client.js';
import { sendJson, sendStatus, StubApi, type StubHandler } from '../testing/stub-api.js';
import { until } from '../testing/until.js';
import { createClient } from './client.js';
import { ConfigMap, Lease, Namespace } from './kinds.js';
import type { Client } from './types.js';

const key = { namespace: 'a', name: 'x' };
const stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, resourceVersion: '1' } };

let api: StubApi;
let client: Client;
let codes: string[];

function connect(kubeConfig = api.kubeConfig(), clock?: Clock): Client {
  return createClient({
    kubeConfig,
    userAgent: 'test/1',
    defaultFieldManager: 'tester',
    random: () => 0,
    metrics: { requested: (method, _host, code) => codes.push(`${method} ${code}`) },
    clock,
  });
}

/** Fails `times` times, then answers. */
function failing(times: number, fail: StubHandler): StubHandler {
  let left = times;
  return (request, response) => (left-- > 0 ? fail(request, response) : sendJson(response, 200, stored));
}

const calls = {
  get: () => client.get(ConfigMap, key),
  update: () => client.update(ConfigMap, stored),
  delete: () => client.delete(ConfigMap, key, { uid: 'u' }),
  deleteVersion: () => client.delete(ConfigMap, key, { resourceVersion: '1' }),
  apply: () => client.apply(ConfigMap, { metadata: key }, { fieldManager: 'me' }),
  merge: () => client.patch(ConfigMap, key, { type: 'merge', patch: {} }),
  deleteName: () => client.delete(ConfigMap, key),
  create: () => client.create(ConfigMap, { metadata: key }),
  jsonPatch: () => client.patch(ConfigMap, key, { type: 'json', patch: [] }),
  rawPost: () => client.raw({ method: 'POST', path: '/x', body: {} }),
  review: () => client.raw({ method: 'POST', path: '/x', body: {}, isIdempotent: true }),
};
const repeatable = ['get', 'update', 'delete', 'deleteVersion', 'apply', 'merge', 'review'] as const;
const once = ['deleteName', 'create', 'jsonPatch', 'rawPost'] as const;

const unavailable: StubHandler = (_, response) => sendStatus(response, 503, 'ServiceUnavailable');
const reset: StubHandler = (_, response) => void response.socket?.resetAndDestroy();

beforeEach(async () => {
  codes = [];
  api = await StubApi.start((_, response) => sendJson(response, 200, stored));
  client = connect();
});
afterEach(async () => {
  await client.close();
  await api.close();
});

describe('the client', () => {
  test.each(repeatable)('repeats %s after a 503', async (name) => {
    api.answer(failing(2, unavailable));
    await calls[name]();
    expect(api.requests).toHaveLength(3);
  });

  test.each(repeatable)('repeats %s after a lost connection', async (name) => {
    api.answer(failing(1, reset));
    await calls[name]();
    expect(api.requests).toHaveLength(2);
  });

  test.each(once)('does not repeat %s once it was sent', async (name) => {
    api.answer(failing(1, unavailable));
    await expect(calls[name]()).rejects.toMatchObject({ type: 'Transient', code: 503 });
    api.answer(failing(1, reset));
    await expect(calls[name]()).rejects.toMatchObject({
      type: 'Transient',
      reason: 'ConnectionLost',
      code: 0,
    });
    api.answer(failing(1, (_, response) => sendStatus(response, 429, 'TooManyRequests')));
    await expect(calls[name]()).rejects.toMatchObject({ type: 'RateLimited' });
    expect(api.requests).toHaveLength(3);
  });

  test.each(once)('repeats %s when the server sheds it and asks for a repeat', async (name) => {
    const clock = new FakeClock();
    await client.close();
    client = connect(api.kubeConfig(), clock);
    const shed: StubHandler = (_, response) => {
      response.writeHead(429, { 'retry-after': '1' }).end('Too many requests, please try again later.');
    };
    api.answer(failing(1, shed));
    const call = calls[name]();
    call.catch(() => undefined);
    await until(() => codes.length === 1 && clock.pendingTimers === 2);
    await clock.advance(1000);
    await call;
    expect(api.requests).toHaveLength(2);
  });

  test('makes at most four attempts', async () => {
    api.answer(unavailable);
    await expect(calls.get()).rejects.toMatchObject({ code: 503 });
    expect(codes).toEqual(['GET 503', 'GET 503', 'GET 503', 'GET 503']);
  });

  test('repeats a create that could not be sent', async () => {
    const gone = await StubApi.start(() => undefined);
    const kubeConfig = gone.kubeConfig();
    await gone.close();
    await client.close();
    client = connect(kubeConfig);
    await expect(calls.create()).rejects.toMatchObject({ type: 'Transient', reason: 'Unreachable', code: 0 });
    expect(codes).toEqual(Array(4).fill('POST <error>'));
  });

  test.each([404, 409, 422, 403])('does not repeat a request after HTTP %i', async (code) => {
    api.answer((_, response) => sendStatus(response, code, 'Whatever'));
    await expect(calls.get()).rejects.toMatchObject({ code });
    expect(api.requests).toHaveLength(1);
  });

  test('does not wait for an exceeded quota', async () => {
    api.answer((_, response) => sendStatus(response, 403, 'Forbidden', { message: 'exceeded quota: q, …' }));
    await expect(calls.apply()).rejects.toMatchObject({ type: 'Transient' });
    expect(api.requests).toHaveLength(1);
  });

  test('respects Retry-After', async () => {
    const clock = new FakeClock();
    await client.close();
    client = connect(api.kubeConfig(), clock);
    api.answer(failing(1, (_, response) => sendStatus(response, 429, 'TooManyRequests', retryAfter(3))));
    const call = client.get(Namespace, { name: 'x' });
    await until(() => codes.length === 1 && clock.pendingTimers === 2);
    await clock.advance(2999);
    expect(api.requests).toHaveLength(1);
    await clock.advance(1);
    await call;
    expect(codes).toEqual(['GET 429', 'GET 200']);
  });

  test('does not repeat a write after this process lost the permission to write', async () => {
    const clock = new FakeClock();
    await client.close();
    client = connect(api.kubeConfig(), clock);
    api.answer(failing(1, (_, response) => sendStatus(response, 503, 'Away', retryAfter(3))));
    let leads = true;
    const revoked = new AbortController().signal;
    const guarded = guardWrites(client, { mayWrite: () => leads, revoked });
    const call = guarded.apply(ConfigMap, { metadata: key }, { fieldManager: 'me' }).catch(String);
    await until(() => codes.length === 1 && clock.pendingTimers === 2);
    leads = false;
    await clock.advance(3000);
    expect(await call).toContain('503');
    expect(api.requests).toHaveLength(1);
  });

  test('returns a long Retry-After to the caller', async () => {
    api.answer((_, response) => sendJson(response, 429, {}, { 'retry-after': '60' }));
    await expect(calls.get()).rejects.toMatchObject({ type: 'RateLimited', retryAfterMs: 60_000 });
    expect(api.requests).toHaveLength(1);
  });

  test('includes the waits in the time limit, and reports the failure whose repeat is pending', async () => {
    const clock = new FakeClock();
    await client.close();
    client = connect(api.kubeConfig(), clock);
    api.answer((_, response) => sendStatus(response, 429, 'TooManyRequests', retryAfter(9)));
    const call = client.get(Namespace, { name: 'x' }, { timeoutMs: 5000 }).catch((error: unknown) => error);
    await until(() => codes.length === 1 && clock.pendingTimers === 2);
    await clock.advance(5000);
    expect(await call).toMatchObject({ code: 429, retryAfterMs: 9000 });
  });
});

const retryAfter = (retryAfterSeconds: number) => ({ details: { retryAfterSeconds } });

describe('a client with open connections', () => {
  test('reuses connections for consecutive calls', async () => {
    for (let n = 0; n < 50; n++) await calls.get();
    /* A connection can be reused shortly after its answer was read. */
    expect(api.connections).toBeLessThanOrEqual(2);
  });

  test('sends a call for a lease even if other calls are not answered', async () => {
    api.answer((request, response) => {
      if (request.path.endsWith('/leases/promoter')) sendJson(response, 200, stored);
    });
    const abort = new AbortController();
    const hanging = Array.from({ length: 100 }, () =>
      client.get(Namespace, { name: 'x' }, { signal: abort.signal }),
    );
    await until(() => api.requests.length === 32);
    const lease = { namespace: 'interlock-system', name: 'promoter' };
    for (let renewal = 0; renewal < 5; renewal++) await client.get(Lease, lease, { lane: 'lease' });
    abort.abort(new Error('enough'));
    const ends = await Promise.allSettled(hanging);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(api.requests).toHaveLength(32 + 5);
  });

  test('sends a call even if there are many watches', async () => {
    api.answer((request, response) => {
      if (request.query.has('watch')) response.writeHead(200).flushHeaders();
      else sendJson(response, 200, stored);
    });
    const abort = new AbortController();
    const watches = Array.from({ length: 100 }, async () => {
      const stream = client.watch(ConfigMap, { resourceVersion: '1', signal: abort.signal });
      for await (const event of stream) throw new Error(`unexpected ${event.type}`);
    });
    await until(() => api.requests.length === 100);
    await Promise.all(Array.from({ length: 100 }, () => calls.get()));
    expect(api.connections).toBeLessThanOrEqual(132);
    abort.abort(new Error('enough'));
    const ends = await Promise.allSettled(watches);
    expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual(
      Array(100).fill('Error: enough'),
    );
  });
});
