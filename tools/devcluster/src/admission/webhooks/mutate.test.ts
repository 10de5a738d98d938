import { describe, expect, it } from '@jest/globals';
import {
  configMap,
  crds,
  gadget,
  gadgetDefinition,
  gadgets,
  metadataOf,
  useCluster,
} from '../../testing/harness.js';
import { rule, useWebhooks } from '../../testing/webhooks.js';
import { patchAnswer } from '../../testing/webhook-server.js';

const cms = '/api/v1/namespaces/default/configmaps';
const mutating = 'MutatingWebhookConfiguration';

const api = useCluster();
const hooks = useWebhooks(api);

/** Appends a letter to data.trail. */
const append =
  (letter: string) =>
  ({ object }: Record<string, unknown>) => {
    const { data = {} } = object as { data?: Record<string, string> };
    return patchAnswer({
      op: 'add',
      path: '/data',
      value: { ...data, trail: `${data['trail'] ?? ''}${letter}` },
    });
  };

describe('a mutating webhook', () => {
  it('changes objects that are created, updated, patched and applied', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a' }], { a: append('a') });
    const created = await api.create(cms, configMap('changed', { k: 'v' }));
    expect([created.status, created.body['data']]).toEqual([201, { k: 'v', trail: 'a' }]);
    const put = await api.put(`${cms}/changed`, configMap('changed', { k: 'w' }));
    expect([put.status, put.body['data']]).toEqual([200, { k: 'w', trail: 'a' }]);
    const patched = await api.patch(`${cms}/changed`, { data: { k: 'x' } });
    expect(patched.body['data']).toEqual({ k: 'x', trail: 'aa' });
    const applied = await api.apply(`${cms}/applied`, 'me', configMap('applied', { k: 'v' }));
    expect([applied.status, applied.body['data']]).toEqual([201, { k: 'v', trail: 'a' }]);
    const again = await api.apply(`${cms}/applied`, 'me', configMap('applied', { k: 'w' }));
    expect([again.status, again.body['data']]).toEqual([200, { k: 'w', trail: 'aa' }]);
    expect(hooks.server.asked.map(({ request }) => request['operation'])).toEqual([
      'CREATE',
      'UPDATE',
      'UPDATE',
      'CREATE',
      'UPDATE',
    ]);
  });

  it('is called in the order of the names of webhooks, before the schema is checked', async () => {
    await api.create(crds, gadgetDefinition());
    await api.until(`${gadgets}`, ({ status }) => status === 200);
    await hooks.register(mutating, 'b', [{ name: 'third' }], { third: append('3') });
    await hooks.register(mutating, 'a', [{ name: 'first' }, { name: 'second' }], {
      first: append('1'),
      second: append('2'),
    });
    const { body } = await api.create(cms, configMap('ordered'));
    expect(body['data']).toEqual({ trail: '123' });
    const rules = [rule({ apiGroups: ['test.dev'], resources: ['gadgets'] })];
    await hooks.register(mutating, 'c', [{ name: 'gadgets', rules }], {
      gadgets: () =>
        patchAnswer(
          { op: 'replace', path: '/spec', value: { replicas: -1, unknown: true } },
          { op: 'add', path: '/metadata/labels', value: { stamped: 'yes' } },
        ),
    });
    const refused = await api.create(gadgets, gadget('negative', { replicas: 1 }));
    expect([refused.status, refused.body['message']]).toEqual([
      422,
      'Gadget.test.dev "negative" is invalid: spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ]);
    hooks.server.handlers.set('/gadgets', () =>
      patchAnswer({ op: 'replace', path: '/spec', value: { replicas: 3, unknown: true } }),
    );
    const made = await api.create(gadgets, gadget('positive', { replicas: -1 }));
    expect([made.status, made.body['spec']]).toEqual([201, { colour: 'grey', replicas: 3 }]);
  });

  it('is called before the object has a uid and its generated name', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a' }]);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } };
    const created = await api.create(`${cms}?fieldManager=me`, body);
    const request = hooks.server.asked[0]?.request ?? {};
    expect(request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    });
    expect(request['name']).toBeUndefined();
    expect((request['object'] as { metadata: unknown }).metadata).toEqual({
      name: '',
      generateName: 'gen-',
      namespace: 'default',
      managedFields: [expect.objectContaining({ manager: 'me' })],
    });
    expect(metadataOf(created)['name']).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(hooks.server.asked[0]).toMatchObject({
      path: '/a?timeout=10s',
      userAgent: 'kube-apiserver-admission',
    });
  });

  it('does not change the ownership of fields', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a' }], { a: append('a') });
    const { body } = await api.create(`${cms}?fieldManager=me`, configMap('owned', { k: 'v' }));
    expect(body).toMatchObject({
      data: { k: 'v', trail: 'a' },
      metadata: { managedFields: [{ manager: 'me', fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } } }] },
    });
  });

  it('cannot set invalid managed fields, and causes a warning', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a' }], {
      a: () =>
        patchAnswer(
          { op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Guess' }] },
          { op: 'add', path: '/data', value: { patched: 'yes' } },
        ),
    });
    const { body, headers } = await api.create(`${cms}?fieldManager=me`, configMap('unreadable', { k: 'v' }));
    expect(body).toMatchObject({
      data: { patched: 'yes' },
      metadata: { managedFields: [{ manager: 'me', fieldsV1: { 'f:data': { 'f:k': {} } } }] },
    });
    expect(headers['warning']).toContain('.metadata.managedFields was in an invalid state after admission');
  });

  it('receives and changes a Scale', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'web' };
    await api.create(path, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    });
    const rules = [rule({ apiGroups: ['apps'], resources: ['deployments/scale'] })];
    await hooks.register(mutating, 'm', [{ name: 'a', rules }], {
      a: () => patchAnswer({ op: 'replace', path: '/spec/replicas', value: 3 }),
    });
    const { status, body } = await api.patch(`${path}/web/scale`, { spec: { replicas: 9 } });
    expect([status, body['spec']]).toEqual([200, { replicas: 3 }]);
    expect((await api.get(`${path}/web`)).body).toMatchObject({ spec: { replicas: 3 } });
    expect(hooks.server.asked[0]?.request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 9 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
  });

  it('cannot change fields that the server owns', async () => {
    await api.create(cms, configMap('mine'));
    let path = '/metadata/creationTimestamp';
    await hooks.register(mutating, 'm', [{ name: 'a' }], {
      a: () => patchAnswer({ op: 'add', path, value: '2001-01-01T00:00:00Z' }),
    });
    const before = await api.get(`${cms}/mine`);
    const ignored = await api.patch(`${cms}/mine`, { data: { k: 'v' } });
    expect(ignored).toMatchObject({
      status: 200,
      body: { metadata: { creationTimestamp: metadataOf(before)['creationTimestamp'] } },
    });
    path = '/metadata/uid';
    const refused = await api.patch(`${cms}/mine`, { data: { k: 'w' } });
    expect(refused).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.uid' }] } },
    });
  });
});

describe('reinvocation', () => {
  it('calls webhooks again if a later webhook changed the object', async () => {
    await hooks.register(
      mutating,
      'm',
      [
        { name: 'a', reinvocationPolicy: 'IfNeeded' },
        { name: 'b' },
        { name: 'c', reinvocationPolicy: 'IfNeeded' },
      ],
      { a: append('a'), b: append('b') },
    );
    const { body } = await api.create(cms, configMap('again'));
    expect(body['data']).toEqual({ trail: 'aba' });
    expect(hooks.paths()).toEqual(['/a', '/b', '/c', '/a', '/c']);
  });

  it('does not call a webhook again if the last change was its own', async () => {
    const policy = { reinvocationPolicy: 'IfNeeded' };
    await hooks.register(
      mutating,
      'm',
      [
        { name: 'a', ...policy },
        { name: 'b', ...policy },
      ],
      { a: append('a') },
    );
    await api.create(cms, configMap('once'));
    expect(hooks.paths()).toEqual(['/a', '/b']);
  });
});

describe('a patch that cannot be used', () => {
  it.each([
    [
      'has no type',
      { allowed: true, patch: 'W10=' },
      'failed calling webhook "a.test.dev": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'is not a list',
      { allowed: true, patchType: 'JSONPatch', patch: 'e30=' },
      'failed calling webhook "a.test.dev": received undecodable patch in webhook response: it is not a list of operations',
    ],
    [
      'has an unsupported type',
      { ...patchAnswer({ op: 'remove', path: '/data' }), patchType: 'Merge' },
      'failed calling webhook "a.test.dev": unsupported patch type "Merge"',
    ],
    [
      'does not apply to the object',
      patchAnswer({ op: 'remove', path: '/nothing' }),
      'the server rejected our request due to an error in our request',
    ],
  ])('is an internal error when it %s', async (_case, answer, message) => {
    await hooks.register(mutating, 'm', [{ name: 'a' }], { a: () => answer });
    const { status, body } = await api.create(cms, configMap('never'));
    expect([status, body['message']]).toEqual([500, `Internal error occurred: ${message}`]);
    expect((await api.get(`${cms}/never`)).status).toBe(404);
  });

  it('is an internal error when it is for a deletion', async () => {
    await api.create(cms, configMap('kept'));
    await hooks.register(mutating, 'm', [{ name: 'a' }], {
      a: () => patchAnswer({ op: 'add', path: '/data', value: {} }),
    });
    const { status, body } = await api.remove(`${cms}/kept`);
    expect([status, body['message']]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.test.dev" attempted to modify the object, which is not supported for this operation',
    ]);
  });
});
