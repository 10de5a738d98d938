import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '@interlock/api';
import { sendJson, sendStatus, StubApi, type StubHandler } from '../testing/stub-api.js';
import { until } from '../testing/until.js';
import { ApiError } from './api-error.js';
import { createClient, type ClientOptions } from './client.js';
import { ConfigMap, Namespace } from './kinds.js';
import type { Client } from './types.js';
import { Widget } from '../testing/widget.js';

const object = (name: string): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'a', resourceVersion: '1' },
});

let api: StubApi;
let client: Client;

/** Returns a client whose retries do not wait, unless the server requests it. */
function connect(options: Partial<ClientOptions> = {}): Client {
  return createClient({
    kubeConfig: api.kubeConfig({ token: 'secret' }),
    userAgent: 'test/1',
    defaultFieldManager: 'tester',
    random: () => 0,
    ...options,
  });
}

beforeEach(async () => {
  api = await StubApi.start((_, response) => sendJson(response, 200, object('x')));
  client = connect();
});
afterEach(async () => {
  await client.close();
  await api.close();
});

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

describe('a client', () => {
  const last = () => api.requests.at(-1)!;

  test('sends the token and the user agent with a get', async () => {
    await client.get(Widget, { namespace: 'a', name: 'x' });
    expect(last()).toMatchObject({ method: 'GET', url: '/apis/example.org/v1/namespaces/a/widgets/x' });
    expect(last().headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'test/1' });
  });

  test('gets an object of a cluster-scoped core kind below the base path of the server', async () => {
    const behind = connect({ kubeConfig: api.kubeConfig({}, '/k8s/clusters/c-1') });
    await behind.get(Namespace, { name: 'x' });
    await behind.close();
    expect(last().url).toBe('/k8s/clusters/c-1/api/v1/namespaces/x');
    expect(last().headers.authorization).toBeUndefined();
  });

  test('uses basic authentication', async () => {
    const basic = connect({ kubeConfig: api.kubeConfig({ username: 'u', password: 'p' }) });
    await basic.get(Namespace, { name: 'x' });
    await basic.close();
    expect(last().headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`);
  });

  test('creates an object with its field manager and its type', async () => {
    await client.create(Widget, { metadata: { name: 'x', namespace: 'a' } }, { dryRun: true });
    expect(last()).toMatchObject({
      method: 'POST',
      url: '/apis/example.org/v1/namespaces/a/widgets?fieldManager=tester&dryRun=All',
      body: { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'x', namespace: 'a' } },
    });
  });

  test('creates a subresource', async () => {
    await client.create(Widget, { metadata: { name: 'x', namespace: 'a' } }, { subresource: 'status' });
    expect(last().path).toBe('/apis/example.org/v1/namespaces/a/widgets/x/status');
  });

  test('updates the status', async () => {
    await client.update(Widget, object('x'), { subresource: 'status', fieldManager: 'me' });
    expect(last()).toMatchObject({
      method: 'PUT',
      url: '/apis/example.org/v1/namespaces/a/widgets/x/status?fieldManager=me',
    });
  });

  test('updates the scale with the kind Scale', async () => {
    const scale = { ...object('x'), spec: { replicas: 2 } };
    await client.update(Widget, scale, { subresource: 'scale' });
    expect(last()).toMatchObject({
      path: '/apis/example.org/v1/namespaces/a/widgets/x/scale',
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } },
    });
  });

  test.each([
    ['json', 'application/json-patch+json'],
    ['merge', 'application/merge-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const)('sends a %s patch', async (type, mediaType) => {
    await client.patch(Widget, { namespace: 'a', name: 'x' }, { type, patch: [] });
    expect(last()).toMatchObject({ method: 'PATCH', body: [], headers: { 'content-type': mediaType } });
  });

  test.each([
    [undefined, 'true'],
    [false, 'false'],
  ])('applies an object (force: %s)', async (force, sent) => {
    const options = {
      fieldManager: 'me',
      subresource: 'status' as const,
      force,
    };
    await client.apply(Widget, { metadata: { name: 'x', namespace: 'a' }, status: {} }, options);
    expect(last()).toMatchObject({
      method: 'PATCH',
      url: `/apis/example.org/v1/namespaces/a/widgets/x/status?force=${sent}&fieldManager=me`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: 'example.org/v1',
        kind: 'Widget',
        metadata: { name: 'x', namespace: 'a' },
        status: {},
      },
    });
  });

  test('deletes an object with preconditions', async () => {
    const options = {
      uid: 'u',
      resourceVersion: '7',
      propagationPolicy: 'Foreground',
      dryRun: true,
    } as const;
    await client.delete(Widget, { namespace: 'a', name: 'x' }, { ...options, gracePeriodSeconds: 0 });
    expect(last()).toMatchObject({
      method: 'DELETE',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '7' },
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        dryRun: ['All'],
      },
    });
  });

  test('sends a raw body with the given content type', async () => {
    await client.raw({ method: 'post', path: '/apis/x?y=1', body: { a: 1 }, contentType: 'application/x' });
    expect(last()).toMatchObject({ method: 'POST', url: '/apis/x?y=1', body: { a: 1 } });
    expect(last().headers['content-type']).toBe('application/x');
  });

  test('escapes names', async () => {
    await client.get(Widget, { namespace: 'a', name: '../x?y' });
    expect(last().url).toBe('/apis/example.org/v1/namespaces/a/widgets/..%2Fx%3Fy');
  });

  test.each([{ name: 'x' }, { namespace: 'a', name: '' }, { namespace: '', name: 'x' }])(
    'refuses the incomplete key %j',
    async (key) => {
      await expect(client.delete(Widget, key)).rejects.toMatchObject({ type: 'Invalid' });
      expect(api.requests).toEqual([]);
    },
  );

  test('sends extra headers', async () => {
    const traced = connect({ requestHeaders: () => ({ traceparent: '00-1-2-01' }) });
    await traced.get(Namespace, { name: 'x' });
    await traced.close();
    expect(last().headers['traceparent']).toBe('00-1-2-01');
  });

  test('impersonates whom the kubeconfig and the caller name, with one header line for each group', async () => {
    const kubeConfig = api.kubeConfig({ token: 't', as: 'admin', 'as-groups': ['a', 'b'] });
    for (const impersonate of [undefined, { user: 'jane' }]) {
      const acting = connect({ kubeConfig, impersonate });
      await acting.get(Namespace, { name: 'x' });
      await acting.close();
    }
    expect(api.requests.map(({ headers }) => headers['impersonate-user'])).toEqual(['admin', 'jane']);
    expect(last().headers).toMatchObject({ 'impersonate-group': 'a, b', authorization: 'Bearer t' });
  });

  test('refuses a context that the kubeconfig does not have', () => {
    expect(() => connect({ context: 'nowhere' })).toThrow(/the kubeconfig has no context "nowhere"; it has /);
  });
});

describe('list', () => {
  const pages: StubHandler = ({ query }, response) => {
    const from = Number(query.get('continue') ?? 0);
    const items = [from, from + 1].map((n) => ({ metadata: { name: `n${n}`, resourceVersion: '1' } }));
    const next = from < 4 ? { continue: String(from + 2) } : {};
    sendJson(response, 200, { kind: 'ConfigMapList', metadata: { resourceVersion: '9', ...next }, items });
  };

  test('reads all pages, and adds the type to the items', async () => {
    api.answer(pages);
    const { items, resourceVersion } = await client.list(ConfigMap, {
      limit: 2,
      labelSelector: 'a=b',
      namespace: 'n',
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(resourceVersion).toBe('9');
    expect(api.requests.map(({ url }) => url)).toEqual([
      '/api/v1/namespaces/n/configmaps?labelSelector=a%3Db&limit=2',
      '/api/v1/namespaces/n/configmaps?labelSelector=a%3Db&limit=2&continue=2',
      '/api/v1/namespaces/n/configmaps?labelSelector=a%3Db&limit=2&continue=4',
    ]);
  });

  test('restarts if the continue token expires', async () => {
    let expirations = 1;
    api.answer((request, response) => {
      if (request.query.has('continue') && expirations-- > 0) sendStatus(response, 410, 'Expired');
      else void pages(request, response);
    });
    expect((await client.list(ConfigMap)).items).toHaveLength(6);
  });

  test('reads everything at once if the continue token always expires', async () => {
    api.answer((request, response) => {
      if (request.query.has('continue')) return sendStatus(response, 410, 'Expired');
      if (request.query.get('limit') !== '0') return pages(request, response);
      return sendJson(response, 200, { metadata: { resourceVersion: '9' }, items: [{ metadata: {} }] });
    });
    expect((await client.list(ConfigMap)).items).toHaveLength(1);
  });

  test('requests only metadata', async () => {
    api.answer(pages);
    const { items } = await client.list(ConfigMap, { metadataOnly: true });
    expect(api.requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });
});

describe('the client', () => {
  test.each([
    [400, 'BadRequest', 'Invalid'],
    [401, 'Unauthorized', 'Unauthorized'],
    [403, 'Forbidden', 'Unauthorized'],
    [404, 'NotFound', 'NotFound'],
    [405, 'MethodNotAllowed', 'Permanent'],
    [409, 'AlreadyExists', 'Conflict'],
    [410, 'Expired', 'NotFound'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'RateLimited'],
    [500, 'InternalError', 'Transient'],
    [503, 'ServiceUnavailable', 'Transient'],
    [504, 'Timeout', 'Transient'],
  ])('maps %i %s to %s', async (code, reason, type) => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' }];
    api.answer((_, response) => sendStatus(response, code, reason, { details: { causes } }));
    const error = await failure(client.create(ConfigMap, { metadata: { name: 'x', namespace: 'a' } }));
    expect(error).toMatchObject({ name: 'ApiError', code, reason, type, causes, method: 'POST' });
    expect(error.message).toBe(`POST /api/v1/namespaces/a/configmaps: ${reason}! (${code} ${reason})`);
  });

  test('does not treat a quota, a server that starts or a terminating namespace as refused credentials', async () => {
    const create = () => failure(client.create(ConfigMap, { metadata: { name: 'x', namespace: 'a' } }));
    for (const cause of [
      'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      'status unknown for quota: q, resources: pods',
      'not yet ready to handle request',
    ]) {
      const message = `pods "p" is forbidden: ${cause}`;
      api.answer((_, response) => sendStatus(response, 403, 'Forbidden', { message }));
      expect((await create()).type).toBe('Transient');
    }
    const details = { causes: [{ reason: 'NamespaceTerminating' }] };
    api.answer((_, response) => sendStatus(response, 403, 'Forbidden', { details }));
    expect((await create()).type).toBe('Conflict');
  });

  test.each([
    'etcdserver: request is too large',
    'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2200000 vs. 2097152)',
  ])('does not repeat a write of an object that is too large for etcd: %s', async (message) => {
    api.answer((_, response) => sendStatus(response, 500, '', { message }));
    const error = await failure(client.apply(ConfigMap, { metadata: { name: 'x', namespace: 'a' } }));
    expect(error).toMatchObject({ code: 500, type: 'Invalid' });
    expect(error.message).toContain(message);
    expect(api.requests).toHaveLength(1);
  });

  test('states what to do about a field that the cluster does not have yet', async () => {
    const message =
      'failed to create typed patch object (a/x; v1, Kind=X): .spec.y: field not declared in schema';
    api.answer((_, response) => sendStatus(response, 500, 'InternalError', { message }));
    const error = await failure(
      client.apply(ConfigMap, { metadata: { name: 'x', namespace: 'a' } }, { fieldManager: 'x' }),
    );
    expect(error).toMatchObject({ code: 500, type: 'Transient' });
    expect(error.message).toContain(`${message}; upgrade the definition of this kind in the cluster`);
  });

  test('accepts an error answer that is not a Status', async () => {
    api.answer((_, response) => void response.writeHead(404).end('nothing here'));
    const error = await failure(client.get(Namespace, { name: 'x' }));
    expect(error.message).toBe('GET /api/v1/namespaces/x: nothing here (404 NotFound)');
  });

  test('requests answers without compression, which a proxy may otherwise apply', async () => {
    api.answer(({ headers, query }, response) => {
      const body = query.has('watch')
        ? `${JSON.stringify({ type: 'ADDED', object: object('x') })}\n`
        : JSON.stringify({ metadata: { resourceVersion: '1' }, items: [object('x')] });
      if (headers['accept-encoding'] === 'identity') response.writeHead(200).end(body);
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    });
    expect((await client.list(Widget)).items).toEqual([object('x')]);
    const events = [];
    for await (const event of client.watch(Widget, { resourceVersion: '1' })) events.push(event);
    expect(events).toEqual([{ type: 'ADDED', object: object('x') }]);
  });

  test('reports an answer that is not JSON', async () => {
    api.answer((_, response) => void response.writeHead(200).end('<html>'));
    expect(await failure(client.get(Namespace, { name: 'x' }))).toMatchObject({
      code: 0,
      reason: 'MalformedResponse',
    });
  });

  test('rejects with the abort reason of the caller', async () => {
    const abort = new AbortController();
    api.answer(() => abort.abort(new Error('stopped')));
    await expect(client.get(Namespace, { name: 'x' }, { signal: abort.signal })).rejects.toThrow('stopped');
    await expect(client.get(Namespace, { name: 'x' }, { signal: abort.signal })).rejects.toThrow('stopped');
    expect(api.requests).toHaveLength(1);
  });

  test('reports that the time limit is exceeded', async () => {
    const clock = new FakeClock();
    const limited = connect({ clock });
    api.answer(() => undefined);
    const call = failure(limited.get(Namespace, { name: 'x' }, { timeoutMs: 1234 }));
    await until(() => api.requests.length === 1);
    await clock.advance(1234);
    expect((await call).message).toBe('GET /api/v1/namespaces/x: no answer within 1234 ms');
    expect(clock.pendingTimers).toBe(0);
    await limited.close();
  });

  test('refuses calls after it is closed', async () => {
    await client.close();
    await expect(client.get(Namespace, { name: 'x' })).rejects.toMatchObject({ reason: 'ClientClosed' });
  });

  test('ends running and waiting calls when it is closed', async () => {
    const clock = new FakeClock();
    const closing = connect({ clock });
    api.answer(({ path }, response) => {
      if (path.endsWith('waits'))
        sendStatus(response, 429, 'TooManyRequests', { details: { retryAfterSeconds: 5 } });
    });
    const calls = ['waits', 'hangs'].map((name) =>
      closing.get(Namespace, { name }).catch((error: unknown) => error),
    );
    await until(() => api.requests.length === 2 && clock.pendingTimers === 3);
    await closing.close();
    const closed = { type: 'Permanent', reason: 'ClientClosed' };
    expect(await Promise.all(calls)).toMatchObject([closed, closed]);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    [{}, 'no current context'],
    ['/nonexistent/kubeconfig', 'ENOENT'],
    [{ ...{}, clusters: 7 }, 'no current context'],
  ])('refuses a kubeconfig without content: %j', (kubeConfig, message) => {
    expect(() => connect({ kubeConfig })).toThrow(message);
  });
});
