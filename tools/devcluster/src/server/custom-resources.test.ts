import { beforeAll, describe, expect, it } from '@jest/globals';
import { objectsAt, type KubeObject } from '../object.js';
import { crds, gadget, gadgetDefinition, gadgets, metadataOf, useCluster } from '../testing/harness.js';
import type { JsonObject } from '../schema/types.js';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const api = useCluster();

const version: JsonObject = {
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  additionalPrinterColumns: [
    { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: [{ jsonPath: '.spec.colour' }],
};

let made: JsonObject;
beforeAll(async () => {
  made = (await api.create(crds, gadgetDefinition(version))).body;
});

describe('a definition', () => {
  it('is returned before it is established, and served immediately', async () => {
    expect(made['status']).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    const { body } = await api.get(`${crds}/gadgets.test.dev`);
    expect(
      objectsAt(body, 'status', 'conditions').map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
    expect((await api.get(gadgets)).body).toMatchObject({ kind: 'GadgetList', items: [] });
  });

  it('appears in both forms of discovery and in OpenAPI', async () => {
    const { body } = await api.get('/apis/test.dev/v1');
    expect(objectsAt(body, 'resources').map(({ name, kind }) => [name, kind])).toEqual([
      ['gadgets', 'Gadget'],
      ['gadgets/status', 'Gadget'],
      ['gadgets/scale', 'Scale'],
    ]);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await api.get('/apis', { accept });
    expect(aggregated.headers['content-type']).toBe(accept);
    const group = objectsAt(aggregated.body, 'items').find(
      ({ metadata }) => (metadata as JsonObject)['name'] === 'test.dev',
    );
    expect(group).toMatchObject({
      versions: [{ version: 'v1', resources: [{ resource: 'gadgets', scope: 'Namespaced' }] }],
    });
    const index = await api.get('/openapi/v3');
    const path = (index.body['paths'] as Record<string, { serverRelativeURL: string }>)['apis/test.dev/v1'];
    const document = await api.get(path?.serverRelativeURL ?? '');
    expect(Object.keys((document.body['components'] as { schemas: object }).schemas)).toContain(
      'dev.test.v1.Gadget',
    );
  });

  it('is not established when its names are in use', async () => {
    const other = gadgetDefinition();
    const spec = { ...(other['spec'] as JsonObject), names: { plural: 'widgets', kind: 'Gadget' } };
    await api.create(crds, { ...other, metadata: { name: 'widgets.test.dev' }, spec });
    const { body } = await api.get(`${crds}/widgets.test.dev`);
    expect(
      objectsAt(body, 'status', 'conditions').map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ['NamesAccepted', 'False', 'SingularConflict'],
      ['Established', 'False', 'NotAccepted'],
    ]);
    expect((await api.get('/apis/test.dev/v1/widgets')).status).toBe(404);
    await api.remove(`${crds}/widgets.test.dev`);
  });

  it('is refused when it is not valid', async () => {
    const { status, body } = await api.create(crds, {
      ...gadgetDefinition(),
      metadata: { name: 'wrong.test.dev' },
    });
    expect([status, body['message']]).toEqual([
      422,
      'CustomResourceDefinition.apiextensions.k8s.io "wrong.test.dev" is invalid: metadata.name: Invalid value: "wrong.test.dev": must be spec.names.plural+"."+spec.group',
    ]);
  });
});

describe('custom objects', () => {
  it('are pruned, defaulted and validated', async () => {
    const reply = await api.create(gadgets, {
      ...gadget('a', { extra: 1, parts: [{ id: 'x', more: 1 }] }),
      status: { phase: 'x' },
    });
    expect(reply.body).toMatchObject({ spec: { colour: 'grey', parts: [{ id: 'x' }] } });
    expect(reply.body).not.toHaveProperty('status');
    expect(reply.headers['warning']).toEqual([
      '299 - "unknown field \\"spec.extra\\""',
      '299 - "unknown field \\"spec.parts[0].more\\""',
    ]);
    const bad = await api.create(gadgets, gadget('b', { replicas: -1 }));
    expect([bad.status, bad.body['message']]).toEqual([
      422,
      expect.stringContaining(
        'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
      ),
    ]);
    const cel = await api.create(gadgets, gadget('b', { replicas: 100 }));
    expect([cel.status, cel.body['message']]).toEqual([
      422,
      'Gadget.test.dev "b" is invalid: spec: Invalid value: too many',
    ]);
  });

  it('have a new generation after each change of the desired state', async () => {
    await api.create(gadgets, gadget('gen'));
    const patch = async (path: string, body: JsonObject): Promise<number> =>
      metadataOf(await api.patch(`${gadgets}/${path}`, body)).generation;
    expect(await patch('gen', { metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await patch('gen', { spec: { colour: 'red' } })).toBe(2);
    expect(await patch('gen', { status: { phase: 'ignored' } })).toBe(2);
    expect(
      await patch('gen/status', {
        spec: { colour: 'ignored' },
        metadata: { labels: { z: '' } },
        status: { phase: 'Done' },
      }),
    ).toBe(2);
    const { body } = await api.get(`${gadgets}/gen`);
    expect(body).toMatchObject({
      spec: { colour: 'red' },
      status: { phase: 'Done' },
      metadata: { labels: { a: 'b' } },
    });
    expect((body as KubeObject).metadata.labels).not.toHaveProperty('z');
  });

  it('can be replaced only with a resourceVersion', async () => {
    await api.create(gadgets, gadget('put'));
    const { status, body } = await api.put(`${gadgets}/put`, gadget('put'));
    expect([status, body['message']]).toEqual([
      422,
      'Gadget.test.dev "put" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  it('have a scale if their definition declares one', async () => {
    await api.create(gadgets, gadget('scaled'));
    const missing = await api.get(`${gadgets}/scaled/scale`);
    expect([missing.status, missing.body['message']]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    ]);
    const scaled = await api.patch(`${gadgets}/scaled/scale`, { spec: { replicas: 4 } });
    expect(scaled.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 4 },
      status: { replicas: 0 },
    });
    expect((await api.get(`${gadgets}/scaled`)).body).toMatchObject({
      spec: { replicas: 4 },
      metadata: { generation: 2 },
    });
    expect((await api.patch(`${gadgets}/scaled/scale`, { spec: { replicas: -1 } })).status).toBe(422);
    expect((await api.patch(`${gadgets}/scaled/scale`, { spec: { replicas: 100 } })).status).toBe(422);
  });

  it('have their print columns in tables', async () => {
    const { body } = await api.get(`${gadgets}/scaled`, { accept: table });
    expect(objectsAt(body, 'columnDefinitions').map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', 0],
      ['Colour', 0],
      ['Replicas', 1],
      ['Age', 0],
    ]);
    expect(objectsAt(body, 'rows')[0]?.['cells']).toEqual(['scaled', 'grey', 4, expect.any(String)]);
  });

  it('can be selected by the fields that the definition lists', async () => {
    await api.create(gadgets, gadget('blue', { colour: 'blue' }));
    const { body } = await api.get(`${gadgets}?fieldSelector=spec.colour%3Dblue`);
    expect(objectsAt(body, 'items').map(({ metadata }) => (metadata as JsonObject)['name'])).toEqual([
      'blue',
    ]);
    const unknown = await api.get(`${gadgets}?fieldSelector=spec.replicas%3D1`);
    expect([unknown.status, unknown.body['message']]).toEqual([
      400,
      'field label not supported: spec.replicas',
    ]);
  });

  it('do not support strategic merge patches', async () => {
    const reply = await api.patch(
      `${gadgets}/a`,
      {},
      { contentType: 'application/strategic-merge-patch+json' },
    );
    expect([reply.status, reply.body['message']]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ]);
  });
});

describe('two versions', () => {
  it('serve the same objects', async () => {
    const { body } = await api.get(`${crds}/gadgets.test.dev`);
    const spec = body['spec'] as JsonObject & { versions: JsonObject[] };
    const [v1] = spec.versions;
    const from = metadataOf(await api.get(gadgets)).resourceVersion;
    const watching = api.client.watch(
      `${gadgets}?watch=1&resourceVersion=${from}`,
      (seen) => seen.length === 1,
    );
    const versions = [v1, { ...v1, name: 'v2', storage: false, deprecated: true }];
    expect((await api.put(`${crds}/gadgets.test.dev`, { ...body, spec: { ...spec, versions } })).status).toBe(
      200,
    );
    const group = await api.get('/apis/test.dev');
    expect(group.body).toMatchObject({
      preferredVersion: { version: 'v2' },
      versions: [{ version: 'v2' }, { version: 'v1' }],
    });
    const reply = await api.get('/apis/test.dev/v2/namespaces/default/gadgets/blue');
    expect(reply.body).toMatchObject({ apiVersion: 'test.dev/v2', spec: { colour: 'blue' } });
    expect(reply.headers['warning']).toBe('299 - "test.dev/v2 Gadget is deprecated"');
    const patched = await api.patch('/apis/test.dev/v2/namespaces/default/gadgets/blue', {
      spec: { replicas: 1 },
    });
    expect(patched.body['apiVersion']).toBe('test.dev/v2');
    expect((await api.get(`${gadgets}/blue`)).body).toMatchObject({
      apiVersion: 'test.dev/v1',
      spec: { replicas: 1 },
    });
    expect((await watching).map(({ object }) => object['apiVersion'])).toEqual(['test.dev/v1']);
  });
});

describe('deleting a definition', () => {
  it('deletes all objects first, and waits for their finalizers', async () => {
    await api.create(gadgets, gadget('held', {}, { finalizers: ['test.dev/hold'] }));
    const arrived = new Promise<void>((resolve) => {
      api.cluster.faults.inject({ when: ({ info }) => info.verb === 'watch', onHit: resolve, times: 1 });
    });
    const watching = api.client.watch(`${gadgets}?watch=1&labelSelector=none`);
    await arrived;
    const deleted = await api.remove(`${crds}/gadgets.test.dev`);
    expect(metadataOf(deleted)['finalizers']).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await api.until(gadgets, ({ body }) => objectsAt(body, 'items').length === 1);
    expect((await api.create(gadgets, gadget('late'))).status).toBe(403);
    await api.patch(`${gadgets}/held`, { metadata: { finalizers: null } });
    await api.until(`${crds}/gadgets.test.dev`, ({ status }) => status === 404);
    expect((await api.get(gadgets)).status).toBe(404);
    expect(await watching).toEqual([]);
  });

  it('deletes all objects even if admission refuses their deletion', async () => {
    const admission = '/apis/admissionregistration.k8s.io/v1';
    const rule = {
      operations: ['DELETE'],
      apiGroups: ['test.dev'],
      apiVersions: ['v1'],
      resources: ['gadgets'],
    };
    await api.create(crds, gadgetDefinition());
    await api.create(gadgets, gadget('kept'));
    await api.create(`${admission}/validatingadmissionpolicies`, {
      metadata: { name: 'keep-gadgets' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] },
    });
    await api.create(`${admission}/validatingadmissionpolicybindings`, {
      metadata: { name: 'keep-gadgets' },
      spec: { policyName: 'keep-gadgets', validationActions: ['Deny'] },
    });
    expect((await api.remove(`${gadgets}/kept`)).status).toBe(422);
    await api.remove(`${crds}/gadgets.test.dev`);
    await api.until(`${crds}/gadgets.test.dev`, ({ status }) => status === 404);
  });
});
