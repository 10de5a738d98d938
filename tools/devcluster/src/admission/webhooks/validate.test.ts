import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, useCluster } from '../../testing/harness.js';
import { configurationsPath, rule, useWebhooks } from '../../testing/webhooks.js';
import { patchAnswer } from '../../testing/webhook-server.js';

const cms = '/api/v1/namespaces/default/configmaps';
const validating = 'ValidatingWebhookConfiguration';

const api = useCluster();
const hooks = useWebhooks(api);

describe('a validating webhook', () => {
  it('refuses a write with its own code, reason and details', async () => {
    const status = {
      code: 422,
      reason: 'Invalid',
      message: 'not this one',
      details: { causes: [{ field: 'data.k', message: 'no', reason: 'FieldValueInvalid' }] },
    };
    await hooks.register(validating, 'v', [{ name: 'a' }], { a: () => ({ allowed: false, status }) });
    const reply = await api.create(cms, configMap('refused'));
    expect([reply.status, reply.body]).toEqual([
      422,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'admission webhook "a.test.dev" denied the request: not this one',
        reason: 'Invalid',
        details: status.details,
        code: 422,
      },
    ]);
    expect((await api.get(`${cms}/refused`)).status).toBe(404);
  });

  it.each([
    [{}, 'admission webhook "a.test.dev" denied the request without explanation'],
    [{ status: { reason: 'Because' } }, 'admission webhook "a.test.dev" denied the request: Because'],
    [{ status: { code: 200, message: 'no' } }, 'admission webhook "a.test.dev" denied the request: no'],
  ])('returns 400 for a refusal whose response is only %j', async (answer, message) => {
    await hooks.register(validating, 'v', [{ name: 'a' }], { a: () => ({ allowed: false, ...answer }) });
    const reply = await api.create(cms, configMap('refused'));
    expect([reply.status, reply.body['code'], reply.body['message']]).toEqual([400, 400, message]);
  });

  it('is called with the old and the new object in their stored form', async () => {
    await hooks.register(validating, 'v', [{ name: 'a' }]);
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'gen-' },
      data: { k: '1' },
    };
    const created = await api.create(cms, body);
    const { name, uid } = created.body['metadata'] as { name: string; uid: string };
    await api.patch(`${cms}/${name}`, { data: { k: '2' } });
    await api.remove(`${cms}/${name}`, { gracePeriodSeconds: 0 });
    expect(hooks.server.asked.map(({ request }) => request)).toMatchObject([
      { operation: 'CREATE', name, object: { metadata: { uid }, data: { k: '1' } }, oldObject: null },
      { operation: 'UPDATE', name, object: { data: { k: '2' } }, oldObject: { data: { k: '1' } } },
      {
        operation: 'DELETE',
        name,
        object: null,
        oldObject: { data: { k: '2' } },
        options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 0 },
      },
    ]);
  });

  it('refuses deletions, including deletions of collections', async () => {
    await api.create(cms, configMap('kept', {}, { labels: { group: 'a' } }));
    await hooks.register(validating, 'v', [{ name: 'a' }], {
      a: ({ operation }) => ({ allowed: operation !== 'DELETE' }),
    });
    expect((await api.remove(`${cms}/kept`)).status).toBe(400);
    expect((await api.remove(`${cms}?labelSelector=group%3Da`)).status).toBe(400);
    expect((await api.get(`${cms}/kept`)).status).toBe(200);
    const [one, collection] = hooks.server.asked;
    expect([one?.request['name'], collection?.request['name']]).toEqual(['kept', undefined]);
  });

  it('warns the client of the write', async () => {
    await hooks.register(validating, 'v', [{ name: 'a' }], {
      a: () => ({ allowed: true, warnings: ['mind the gap'] }),
    });
    const { status, headers } = await api.create(cms, configMap('warned'));
    expect([status, headers['warning']]).toEqual([201, '299 - "mind the gap"']);
  });

  it('cannot patch the object', async () => {
    await hooks.register(validating, 'v', [{ name: 'a' }], {
      a: () => patchAnswer({ op: 'add', path: '/data', value: {} }),
    });
    const { status, body } = await api.create(cms, configMap('never'));
    expect([status, body['message']]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "a.test.dev": received invalid webhook response: validating webhook may not return response.patch',
    ]);
  });

  it('is not called for webhook configurations', async () => {
    const rules = [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] })];
    await hooks.register(validating, 'v', [{ name: 'a', rules }], { a: () => ({ allowed: false }) });
    expect((await api.create(cms, configMap('never'))).status).toBe(400);
    expect(
      (await api.patch(`${configurationsPath(validating)}/v`, { metadata: { labels: { a: 'b' } } })).status,
    ).toBe(200);
    expect((await api.remove(`${configurationsPath(validating)}/v`)).status).toBe(200);
    expect((await api.create(cms, configMap('free'))).status).toBe(201);
  });
});

it('a webhook is also called for objects that the cluster itself creates, and a refused creation is retried', async () => {
  const rules = [rule({ resources: ['serviceaccounts'] })];
  let refusals = 0;
  await hooks.register(validating, 'v', [{ name: 'a', rules }], {
    a: () => ({ allowed: refusals++ > 0 }),
  });
  await api.create('/api/v1/namespaces', { metadata: { name: 'filled' } });
  await api.until('/api/v1/namespaces/filled/serviceaccounts/default', ({ status }) => status === 200);
  expect(hooks.server.asked.map(({ request }) => request['userInfo'])).toEqual([
    expect.objectContaining({ username: 'system:kube-controller-manager' }),
    expect.objectContaining({ username: 'system:kube-controller-manager' }),
  ]);
});

describe('a dry run', () => {
  it('is marked in the request', async () => {
    await hooks.register(validating, 'v', [{ name: 'a', sideEffects: 'NoneOnDryRun' }], {
      a: ({ dryRun }) => ({ allowed: dryRun !== true }),
    });
    expect((await api.create(`${cms}?dryRun=All`, configMap('dry'))).status).toBe(400);
    expect(hooks.server.asked[0]?.request).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
    expect((await api.create(cms, configMap('wet'))).status).toBe(201);
  });
});

describe('a webhook of a Service', () => {
  const services = '/api/v1/namespaces/hooks/services';
  const clientConfig = (port: number) => ({
    service: { namespace: 'hooks', name: 'hook', port, path: '/by/service' },
    caBundle: hooks.server.caBundle,
  });
  beforeAll(() => api.create('/api/v1/namespaces', { metadata: { name: 'hooks' } }));
  afterEach(() => api.remove(`${services}/hook`));

  it('is called at the external name and its own port, with a certificate for the name of the Service', async () => {
    await api.create(services, {
      metadata: { name: 'hook' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const config = clientConfig(hooks.server.port);
    await hooks.register(validating, 'v', [{ name: 'a', clientConfig: config }], {
      'by/service': () => ({ allowed: false, status: { message: 'by service' } }),
    });
    const { body } = await api.create(cms, configMap('never'));
    expect(body['message']).toBe('admission webhook "a.test.dev" denied the request: by service');
  });

  it('is called at another external name as soon as the Service has one', async () => {
    const spec = { type: 'ExternalName', externalName: 'nowhere.invalid' };
    await api.create(services, { metadata: { name: 'hook' }, spec });
    const config = clientConfig(hooks.server.port);
    await hooks.register(validating, 'v', [{ name: 'a', clientConfig: config }], {
      'by/service': () => ({ allowed: false, status: { message: 'by service' } }),
    });
    const lost = await api.create(cms, configMap('never'));
    expect(lost.body['message']).toContain('dial tcp: lookup nowhere.invalid');
    await api.patch(`${services}/hook`, { spec: { externalName: '127.0.0.1' } });
    const found = await api.create(cms, configMap('never'));
    expect(found.body['message']).toContain('by service');
  });

  it('is called at the cluster IP in the Service', async () => {
    const { port } = hooks.server;
    await api.create(services, {
      metadata: { name: 'hook' },
      spec: { clusterIP: '127.0.0.1', ports: [{ port }] },
    });
    await hooks.register(validating, 'v', [{ name: 'a', clientConfig: clientConfig(port) }], {
      'by/service': () => ({ allowed: false, status: { message: 'by service' } }),
    });
    expect((await api.create(cms, configMap('never'))).body['message']).toContain('by service');
  });

  it('is called at a ready endpoint of a Service without a cluster IP', async () => {
    const { port } = hooks.server;
    const slices = '/apis/discovery.k8s.io/v1/namespaces/hooks/endpointslices';
    await api.create(services, {
      metadata: { name: 'hook' },
      spec: {
        ports: [
          { name: 'other', port: 80 },
          { name: 'admission', port: 8443 },
        ],
      },
    });
    await api.create(slices, {
      metadata: { name: 'hook-a', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      ports: [
        { name: 'other', port: 1 },
        { name: 'admission', port },
      ],
      endpoints: [
        { addresses: ['127.0.0.2'], conditions: { ready: false } },
        { addresses: ['127.0.0.1'], conditions: { ready: true } },
      ],
    });
    await hooks.register(validating, 'v', [{ name: 'a', clientConfig: clientConfig(8443) }], {
      'by/service': () => ({ allowed: false, status: { message: 'by service' } }),
    });
    expect((await api.create(cms, configMap('never'))).body['message']).toContain('by service');
    await api.remove(`${slices}/hook-a`);
  });

  it.each([
    ['there is no Service', undefined, 'service "hook" not found'],
    [
      'the Service has another port',
      { ports: [{ port: 443 }] },
      'no service port 8443 found for service "hook"',
    ],
    [
      'the Service is headless',
      { clusterIP: 'None', ports: [{ port: 8443 }] },
      'cannot route to service with ClusterIP "None"',
    ],
    [
      'the Service has no cluster IP and no endpoints',
      { ports: [{ port: 8443 }] },
      'no endpoints available for service "hook"',
    ],
  ])('fails when %s', async (_, spec, why) => {
    if (spec !== undefined) await api.create(services, { metadata: { name: 'hook' }, spec });
    await hooks.register(validating, 'v', [{ name: 'a', clientConfig: clientConfig(8443) }]);
    const { status, body } = await api.create(cms, configMap('never'));
    expect([status, body['message']]).toEqual([
      500,
      `Internal error occurred: failed calling webhook "a.test.dev": failed to call webhook: Post "https://hook.hooks.svc:8443/by/service?timeout=10s": ${why}`,
    ]);
  });
});

describe('a webhook that cannot be called', () => {
  const failures: [string, (at: string) => object, (at: string) => string][] = [
    [
      'is down',
      () => ({ clientConfig: { url: 'https://127.0.0.1:1/x' } }),
      () =>
        'failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'has a certificate of an unknown authority',
      (at) => ({ clientConfig: { url: `https://${at}/a` } }),
      (at) =>
        `failed to call webhook: Post "https://${at}/a?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ],
    [
      'returns an error',
      () => ({}),
      () =>
        'failed to call webhook: an error on the server ("broken") has prevented the request from succeeding',
    ],
  ];

  it.each(failures)('refuses the write when it %s', async (_case, fields, why) => {
    const at = `127.0.0.1:${String(hooks.server.port)}`;
    await hooks.register(validating, 'v', [{ name: 'a', ...fields(at) }], {
      a: () => ({ status: 500, body: 'broken' }),
    });
    const { status, body } = await api.create(cms, configMap('never'));
    const message = `failed calling webhook "a.test.dev": ${why(at)}`;
    expect([status, body['message'], body['details']]).toEqual([
      500,
      `Internal error occurred: ${message}`,
      { causes: [{ message }] },
    ]);
  });

  it.each(failures)('is ignored under the failure policy Ignore when it %s', async (_case, fields) => {
    const at = `127.0.0.1:${String(hooks.server.port)}`;
    await hooks.register(validating, 'v', [{ name: 'a', failurePolicy: 'Ignore', ...fields(at) }], {
      a: () => ({ status: 500, body: 'broken' }),
    });
    expect((await api.create(`${cms}?dryRun=All`, configMap('through'))).status).toBe(201);
  });

  it('fails the write after its timeout', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await hooks.register(validating, 'v', [{ name: 'a', timeoutSeconds: 1 }], {
      a: async () => {
        await held;
        return { allowed: true };
      },
    });
    const { body } = await api.create(cms, configMap('never'));
    release();
    expect(body['message']).toMatch(
      /Post "https:\/\/127.0.0.1:\d+\/a\?timeout=1s": context deadline exceeded$/,
    );
  });

  it('fails the write when it answers with the uid of another request', async () => {
    const { server } = hooks;
    await hooks.register(validating, 'v', [{ name: 'a' }], { a: () => ({ uid: 'other', allowed: true }) });
    const { body } = await api.create(cms, configMap('never'));
    const { uid } = server.asked[0]?.request ?? {};
    expect(body['message']).toBe(
      `Internal error occurred: failed calling webhook "a.test.dev": received invalid webhook response: expected response.uid="${String(uid)}", got "other"`,
    );
  });
});
