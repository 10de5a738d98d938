import { beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, crds, gadgetDefinition, useCluster } from '../../testing/harness.js';
import { rule, useWebhooks } from '../../testing/webhooks.js';
import { patchAnswer } from '../../testing/webhook-server.js';

const namespaces = '/api/v1/namespaces';
const cms = `${namespaces}/default/configmaps`;
const oldGadgets = '/apis/test.dev/v1alpha1/namespaces/default/gadgets';
const validating = 'ValidatingWebhookConfiguration';
const mutating = 'MutatingWebhookConfiguration';

const api = useCluster();
const hooks = useWebhooks(api);
const gadget = (name: string) => ({ apiVersion: 'test.dev/v1alpha1', kind: 'Gadget', metadata: { name } });

beforeAll(async () => {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  };
  const definition = gadgetDefinition() as { spec: { versions: unknown[] } };
  definition.spec.versions = [
    { name: 'v1', served: true, storage: true, schema },
    { name: 'v1alpha1', served: true, storage: false, schema, subresources: { status: {} } },
  ];
  await api.create(crds, definition);
  await api.until(oldGadgets, ({ status }) => status === 200);
  await api.create(namespaces, { metadata: { name: 'red', labels: { colour: 'red' } } });
});

describe('rules', () => {
  it.each([
    [{}, 1],
    [{ operations: ['CREATE'] }, 1],
    [{ operations: ['UPDATE', 'DELETE', 'CONNECT'] }, 0],
    [{ apiGroups: ['*'] }, 1],
    [{ apiGroups: ['apps'] }, 0],
    [{ apiVersions: ['*'] }, 1],
    [{ apiVersions: ['v2'] }, 0],
    [{ resources: ['*'] }, 1],
    [{ resources: ['secrets'] }, 0],
    [{ resources: ['configmaps/*'] }, 1],
    [{ resources: ['configmaps/status'] }, 0],
    [{ resources: ['*/status'] }, 0],
    [{ resources: ['*/*'] }, 1],
    [{ scope: 'Namespaced' }, 1],
    [{ scope: 'Cluster' }, 0],
  ])('with the fields %j call the webhook %d times for a new ConfigMap', async (fields, times) => {
    await hooks.register(validating, 'v', [{ name: 'a', rules: [rule(fields)] }]);
    expect((await api.create(`${cms}?dryRun=All`, configMap('ruled'))).status).toBe(201);
    expect(hooks.paths()).toHaveLength(times);
  });

  it('treat a Namespace as cluster-scoped, although its request names it as the namespace', async () => {
    const rules = [rule({ resources: ['namespaces'], scope: 'Cluster' })];
    await hooks.register(validating, 'v', [{ name: 'a', rules }]);
    await api.create(namespaces, { metadata: { name: 'counted' } });
    expect(hooks.server.asked.map(({ request }) => [request['name'], request['namespace']])).toEqual([
      ['counted', 'counted'],
    ]);
  });

  it('distinguish a subresource from its resource', async () => {
    const gadgets = (resources: string[]) => [
      rule({ apiGroups: ['test.dev'], apiVersions: ['*'], resources }),
    ];
    await api.create(oldGadgets, gadget('sub'));
    await hooks.register(validating, 'v', [
      { name: 'whole', rules: gadgets(['gadgets']) },
      { name: 'status', rules: gadgets(['gadgets/status']) },
    ]);
    await api.patch(`${oldGadgets}/sub`, { spec: { a: 1 } });
    await api.patch(`${oldGadgets}/sub/status`, { status: {} });
    expect(hooks.paths()).toEqual(['/whole', '/status']);
    expect(hooks.server.asked[1]?.request).toMatchObject({
      subResource: 'status',
      requestSubResource: 'status',
    });
  });
});

describe('matchPolicy', () => {
  const rules = [rule({ apiGroups: ['test.dev'], apiVersions: ['v1'], resources: ['gadgets'] })];

  it('Equivalent calls the webhook with another version of the resource, and converts the response', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a', rules }], {
      a: () => patchAnswer({ op: 'add', path: '/spec', value: { patched: true } }),
    });
    const { body } = await api.create(oldGadgets, gadget('equivalent'));
    expect(body).toMatchObject({ apiVersion: 'test.dev/v1alpha1', spec: { patched: true } });
    expect(hooks.server.asked[0]?.request).toMatchObject({
      kind: { group: 'test.dev', version: 'v1', kind: 'Gadget' },
      requestKind: { group: 'test.dev', version: 'v1alpha1', kind: 'Gadget' },
      resource: { version: 'v1' },
      requestResource: { version: 'v1alpha1' },
      object: { apiVersion: 'test.dev/v1' },
    });
  });

  it('Exact does not call the webhook with another version of the resource', async () => {
    await hooks.register(mutating, 'm', [{ name: 'a', rules, matchPolicy: 'Exact' }]);
    expect((await api.create(oldGadgets, gadget('exact'))).status).toBe(201);
    expect(hooks.paths()).toEqual([]);
  });
});

describe('selectors', () => {
  it('select by the labels of the namespace', async () => {
    const namespaceSelector = { matchExpressions: [{ key: 'colour', operator: 'In', values: ['red'] }] };
    const rules = [rule({ resources: ['secrets', 'namespaces'] })];
    await hooks.register(validating, 'v', [{ name: 'a', rules, namespaceSelector }]);
    await api.create(`${namespaces}/default/secrets`, { metadata: { name: 'elsewhere' } });
    await api.create(namespaces, { metadata: { name: 'blue', labels: { colour: 'blue' } } });
    expect(hooks.paths()).toEqual([]);
    await api.create(`${namespaces}/red/secrets`, { metadata: { name: 'here' } });
    await api.create(namespaces, { metadata: { name: 'also-red', labels: { colour: 'red' } } });
    expect(hooks.paths()).toEqual(['/a', '/a']);
  });

  it('select by the labels of the new or the old object', async () => {
    await hooks.register(validating, 'v', [{ name: 'a', objectSelector: { matchLabels: { on: 'yes' } } }]);
    await api.create(cms, configMap('labelled'));
    expect(hooks.paths()).toHaveLength(0);
    await api.patch(`${cms}/labelled`, { metadata: { labels: { on: 'yes' } } });
    await api.patch(`${cms}/labelled`, { metadata: { labels: null } });
    expect(hooks.paths()).toHaveLength(2);
    await api.patch(`${cms}/labelled`, { data: { k: 'v' } });
    expect(hooks.paths()).toHaveLength(2);
  });
});

describe('matchConditions', () => {
  const conditions = (...expressions: string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${String(index)}`, expression })),
  });

  it.each([
    [['true'], 1],
    [["object.metadata.name == 'asked'"], 1],
    [
      [
        "request.operation == 'CREATE' && oldObject == null",
        "request.userInfo.username == 'kubernetes-admin'",
      ],
      1,
    ],
    [['true', "'system:masters' in request.userInfo.groups && false"], 0],
    [['object.data.missing == "x"', 'false'], 0],
  ])('with the expressions %j call the webhook %d times', async (expressions, times) => {
    await hooks.register(validating, 'v', [{ name: 'a', ...conditions(...expressions) }]);
    expect((await api.create(`${cms}?dryRun=All`, configMap('asked'))).status).toBe(201);
    expect(hooks.paths()).toHaveLength(times);
  });

  it('refuse the write if a condition fails and none is false', async () => {
    await hooks.register(validating, 'v', [{ name: 'a', ...conditions('object.data.missing == "x"') }]);
    const { status, body } = await api.create(cms, configMap('broken', { k: 'v' }));
    expect([status, body['message']]).toEqual([
      403,
      `configmaps "broken" is forbidden: expression 'object.data.missing == "x"' resulted in error: no such key: missing`,
    ]);
    expect(hooks.paths()).toEqual([]);
  });

  it('skip the webhook if a condition fails and the failure policy is Ignore', async () => {
    const hook = { name: 'a', failurePolicy: 'Ignore', ...conditions('object.data.missing == "x"') };
    await hooks.register(validating, 'v', [hook], { a: () => ({ allowed: false }) });
    expect((await api.create(cms, configMap('fine', { k: 'v' }))).status).toBe(201);
  });
});
