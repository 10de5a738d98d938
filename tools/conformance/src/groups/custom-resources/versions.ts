import { expect } from 'expect';
import { conditionOf, define, objectOf, text, whole, type Cases, type Fields } from './definition.js';
import { watchableFrom } from './watchable.js';

const both = [{ name: 'v1' }, { name: 'v2', storage: false }];
const spec = objectOf({ size: text, colour: { ...text, default: 'red' } });

/** Rules about several versions, and about changes and the deletion of a definition. */
export const versionCases: Cases = {
  'serves an object in every version with the apiVersion of the request': async (scope) => {
    const widgets = await define(scope, { spec, versions: both });
    const created = await widgets.make('a', { spec: { size: 'S' } });
    const { status, body } = await scope.api.get(widgets.path('a', 'v2'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      apiVersion: `${widgets.group}/v2`,
      spec: created.spec,
      metadata: { uid: created.metadata.uid },
    });
    const list = (await scope.api.get(widgets.list('v2'))).body;
    expect(list).toMatchObject({
      apiVersion: `${widgets.group}/v2`,
      items: [{ apiVersion: `${widgets.group}/v2` }],
    });
    const changed = await widgets.merge('a', { spec: { size: 'M' } }, 'v2');
    expect(changed.body).toMatchObject({ apiVersion: `${widgets.group}/v2`, spec: { size: 'M' } });
    expect((await scope.api.get(widgets.path('a'))).body).toMatchObject({
      apiVersion: `${widgets.group}/v1`,
      spec: { size: 'M' },
    });
  },

  'keeps the resourceVersion and generation of an object when it is read in another version': async (
    scope,
  ) => {
    const widgets = await define(scope, { spec, versions: both });
    const { metadata } = await widgets.make('a', { spec: { size: 'S' } });
    const { body } = await scope.api.get(widgets.path('a', 'v2'));
    expect(body.metadata).toMatchObject({ resourceVersion: metadata.resourceVersion, generation: 1 });
    const put = await scope.api.put(widgets.path('a', 'v2'), body);
    expect(put.status).toBe(200);
    expect(put.body.metadata.generation).toBe(1);
  },

  'validates and prunes by the schema of the version of the request': async (scope) => {
    const schema = (properties: Fields): Fields => ({
      openAPIV3Schema: objectOf({ spec: objectOf(properties) }),
    });
    const versions = [
      { name: 'v1', schema: schema({ size: text, count: whole }) },
      { name: 'v2', storage: false, schema: schema({ size: { ...text, enum: ['S'] } }) },
    ];
    const widgets = await define(scope, { versions });
    await widgets.make('a', { spec: { size: 'XL', count: 1 } });
    expect((await scope.api.get(widgets.path('a', 'v2'))).body.spec).toEqual({ size: 'XL' });
    const refused = await scope.api.post(
      widgets.list('v2'),
      widgets.object('b', { spec: { size: 'L' } }, {}, 'v2'),
    );
    expect(refused.status).toBe(422);
    const pruned = await scope.api.post(
      widgets.list('v2'),
      widgets.object('b', { spec: { size: 'S', count: 2 } }, {}, 'v2'),
    );
    expect({ status: pruned.status, spec: pruned.body.spec }).toEqual({ status: 201, spec: { size: 'S' } });
  },

  'refuses an object whose apiVersion is not that of the path': async (scope) => {
    const widgets = await define(scope, { spec, versions: both });
    const { status, body } = await scope.api.post(widgets.list(), widgets.object('a', {}, {}, 'v2'));
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'BadRequest' });
    expect(body.message).toContain('does not match the expected API version');
    expect((await scope.api.post(widgets.list('v2'), widgets.object('a', {}, {}, 'v2'))).status).toBe(201);
  },

  'does not serve a version that is not served': async (scope) => {
    const widgets = await define(scope, {
      spec,
      versions: [{ name: 'v1' }, { name: 'v2', storage: false, served: false }],
    });
    await widgets.make('a');
    expect((await scope.api.get(widgets.path('a', 'v2'))).status).toBe(404);
    expect((await scope.api.get(widgets.path('a'))).status).toBe(200);
    await widgets.redefine((version) => {
      if (version['name'] === 'v2') version['served'] = true;
    });
    expect((await scope.api.get(widgets.path('a', 'v2'))).status).toBe(200);
  },

  'watches objects in the version of the request': async (scope) => {
    const widgets = await define(scope, { spec, versions: both });
    const resourceVersion = await watchableFrom(scope, widgets, 'v2');
    const events = await scope.api.watch(widgets.list('v2'), { query: { resourceVersion } });
    await widgets.make('a', { spec: { size: 'S' } });
    expect(await events.next()).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: `${widgets.group}/v2`, spec: { size: 'S' } },
    });
    events.close();
  },

  'records every version in which objects were stored': async (scope) => {
    const widgets = await define(scope, { spec, versions: both });
    await widgets.redefine((version) => {
      version['storage'] = version['name'] === 'v2';
    });
    const stored = async () =>
      ((await scope.api.get(widgets.definition)).body.status as Fields)['storedVersions'];
    expect(await stored()).toEqual(['v1', 'v2']);
    const { status } = await scope.api.patch(`${widgets.definition}/status`, 'merge', {
      status: { storedVersions: ['v2'] },
    });
    expect(status).toBe(200);
    expect(await stored()).toEqual(['v2']);
  },

  'refuses to remove a version in which objects may be stored': async (scope) => {
    const widgets = await define(scope, { spec, versions: both });
    const remove = (index: number) =>
      scope.api.patch(widgets.definition, 'json', [{ op: 'remove', path: `/spec/versions/${index}` }]);
    const refused = await remove(0);
    expect(refused.status).toBe(422);
    expect(refused.body.details?.causes).toContainEqual({
      reason: 'FieldValueInvalid',
      field: 'status.storedVersions[0]',
      message: expect.stringContaining('missing from spec.versions; v1 was previously a storage version'),
    });
    expect((await remove(1)).status).toBe(200);
    await scope.eventually(widgets.list('v2'), ({ status }) => status === 404);
  },

  'works by the new schema of a definition': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ size: text }) });
    const old = await widgets.create('a', { spec: { size: 'S', colour: 'blue' } });
    expect(old.body.spec).toEqual({ size: 'S' });
    await widgets.redefine((version) => {
      version['schema'] = {
        openAPIV3Schema: objectOf({ spec: objectOf({ size: { ...text, maxLength: 1 }, colour: text }) }),
      };
    });
    expect((await widgets.make('b', { spec: { size: 'S', colour: 'blue' } })).spec).toEqual({
      size: 'S',
      colour: 'blue',
    });
    expect((await widgets.create('c', { spec: { size: 'XL' } })).status).toBe(422);
  },

  'serves subresources that are added to a definition': async (scope) => {
    const widgets = await define(scope, { spec, status: objectOf({ phase: text }) });
    await widgets.make('a');
    expect((await scope.api.get(widgets.path('a/status'))).status).toBe(404);
    await widgets.redefine((version) => {
      version['subresources'] = { status: {} };
    });
    expect((await widgets.merge('a/status', { status: { phase: 'Done' } })).body.status).toEqual({
      phase: 'Done',
    });
    expect((await widgets.merge('a', { status: { phase: 'ignored' } })).body.status).toEqual({
      phase: 'Done',
    });
  },

  'removes all objects and the endpoint when a definition is deleted': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    const { status, body } = await scope.api.delete(widgets.definition);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    });
    await scope.eventually(widgets.definition, (answer) => answer.status === 404);
    await scope.eventually(widgets.path('a'), (answer) => answer.status === 404);
    await scope.eventually(widgets.list(), (answer) => answer.status === 404);
  },

  'serves a definition again that is created after it was deleted, without the old objects': async (
    scope,
  ) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    const { body } = await scope.api.get(widgets.definition);
    await scope.api.delete(widgets.definition);
    await scope.eventually(widgets.definition, (answer) => answer.status === 404);
    const { apiVersion, kind, spec: definition, metadata } = body;
    const again = { apiVersion, kind, spec: definition, metadata: { name: metadata.name } };
    expect(
      (await scope.api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', again)).status,
    ).toBe(201);
    await scope.eventually(
      widgets.definition,
      (answer) => conditionOf(answer.body, 'Established')?.['status'] === 'True',
    );
    const list = await scope.eventually(widgets.list(), ({ status }) => status === 200);
    expect(list.body.items).toEqual([]);
  },
};

/** Rules about a definition that is being deleted; writes to its objects need the admission of the whole server. */
export const terminatingCases: Cases = {
  'keeps a definition that is deleted until the finalizers of its objects are removed': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    await widgets.hold('held', 'example.com/hold');
    expect((await scope.api.delete(widgets.definition)).status).toBe(200);
    await scope.eventually(widgets.path('a'), (answer) => answer.status === 404);
    const held = await scope.api.get(widgets.path('held'));
    expect(held.body.metadata.deletionTimestamp).toEqual(expect.any(String));
    const terminating = await scope.api.get(widgets.definition);
    expect(conditionOf(terminating.body, 'Terminating')).toMatchObject({
      status: 'True',
      reason: 'InstanceDeletionInProgress',
    });
    expect((await widgets.create('late')).body).toMatchObject({
      code: 403,
      message: expect.stringContaining('create not allowed while custom resource definition is terminating'),
    });
    expect((await widgets.merge('held', { metadata: { finalizers: null } })).status).toBe(200);
    await scope.eventually(widgets.definition, (answer) => answer.status === 404);
    await scope.eventually(widgets.list(), (answer) => answer.status === 404);
  },
};
