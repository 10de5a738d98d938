import { expect } from 'expect';
import type { Scope } from '../../suite/scope.js';
import {
  cause,
  causesOf,
  define,
  objectOf,
  text,
  whole,
  type Cases,
  type Fields,
  type Widgets,
} from './definition.js';

const replicas = { ...whole, minimum: 0, maximum: 50 };
const spec = objectOf({ size: text, replicas });
const status = objectOf({ phase: text, replicas: whole, selector: text });
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/** Defines widgets with a status. */
function withStatus(scope: Scope): Promise<Widgets> {
  return define(scope, { spec, status, version: { subresources: { status: {} } } });
}

function withScale(scope: Scope, more: Fields = {}): Promise<Widgets> {
  return define(scope, {
    spec,
    status,
    version: { subresources: { status: {}, scale: { ...scale, ...more } } },
  });
}

/** Rules about the status and scale subresources. */
export const subresourceCases: Cases = {
  'drops the status of an object that is created': async (scope) => {
    const widgets = await withStatus(scope);
    const body = await widgets.make('a', { spec: { size: 'S' }, status: { phase: 'Done' } });
    expect(body).not.toHaveProperty('status');
    expect(body.spec).toEqual({ size: 'S' });
  },

  'keeps the status of an object that is created when there is no status subresource': async (scope) => {
    const widgets = await define(scope, { spec, status });
    expect((await widgets.make('a', { status: { phase: 'Done' } })).status).toEqual({ phase: 'Done' });
    const { body } = await widgets.merge('a', { status: { phase: 'Ready' } });
    expect(body).toMatchObject({ status: { phase: 'Ready' }, metadata: { generation: 2 } });
    expect((await scope.api.get(widgets.path('a/status'))).status).toBe(404);
    expect((await scope.api.get(widgets.path('a/scale'))).status).toBe(404);
  },

  'ignores status on the object and everything else on /status': async (scope) => {
    const widgets = await withStatus(scope);
    await widgets.make('a', { spec: { size: 'S' } });
    const main = await widgets.merge('a', { spec: { size: 'M' }, status: { phase: 'ignored' } });
    expect(main.body.spec).toEqual({ size: 'M' });
    expect(main.body).not.toHaveProperty('status');
    const sub = await widgets.merge('a/status', {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { size: 'L' },
      status: { phase: 'Done' },
    });
    expect(sub.status).toBe(200);
    expect(sub.body).toMatchObject({ spec: { size: 'M' }, status: { phase: 'Done' } });
    expect(sub.body.metadata).not.toHaveProperty('labels');
    expect(sub.body.metadata).not.toHaveProperty('annotations');
  },

  'replaces the status with a PUT of /status': async (scope) => {
    const widgets = await withStatus(scope);
    const created = await widgets.make('a', { spec: { size: 'S' } });
    const put = await scope.api.put(widgets.path('a/status'), {
      ...created,
      spec: { size: 'L' },
      status: { phase: 'Done' },
    });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ spec: { size: 'S' }, status: { phase: 'Done' } });
    const stale = await scope.api.put(widgets.path('a/status'), { ...created, status: { phase: 'Late' } });
    expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await scope.api.get(widgets.path('a/status'))).body).toMatchObject({
      kind: 'Widget',
      status: { phase: 'Done' },
    });
  },

  'ignores the uid of an applied status, and checks its resourceVersion': async (scope) => {
    const widgets = await withStatus(scope);
    const { metadata } = await widgets.make('a', { spec: { size: 'S' } });
    const apply = (phase: string, fields: Fields) =>
      scope.api.apply(
        widgets.path('a/status'),
        'reporter',
        widgets.object('a', { status: { phase } }, fields),
      );
    const first = await apply('First', { uid: '00000000-0000-4000-8000-000000000000' });
    expect(first).toMatchObject({ status: 200, body: { metadata: { uid: metadata.uid } } });
    const stale = await apply('Stale', { resourceVersion: metadata.resourceVersion });
    expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    const { resourceVersion } = first.body.metadata;
    const current = await apply('Current', { resourceVersion });
    expect(current).toMatchObject({ status: 200, body: { status: { phase: 'Current' } } });
  },

  'increments the generation with changes outside of metadata and status only': async (scope) => {
    const widgets = await withStatus(scope);
    await widgets.make('a', { spec: { size: 'S' } });
    const generation = async (path: string, patch: Fields) =>
      (await widgets.merge(path, patch)).body.metadata.generation;
    expect(await generation('a', { metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation('a/status', { status: { phase: 'Done' } })).toBe(1);
    expect(await generation('a', { spec: { size: 'S' } })).toBe(1);
    expect(await generation('a', { spec: { size: 'M' } })).toBe(2);
    expect(await generation('a', { metadata: { generation: 7 } })).toBe(2);
  },

  'does not check the rules of spec when only the status is written': async (scope) => {
    const broken = { 'x-kubernetes-validations': [{ rule: "self.size == 'S'" }] };
    const widgets = await withStatus(scope);
    await widgets.make('old', { spec: { size: 'M' } });
    await widgets.redefine((version) => {
      version['schema'] = { openAPIV3Schema: objectOf({ spec: { ...spec, ...broken }, status }) };
    });
    expect((await widgets.merge('old/status', { status: { phase: 'Done' } })).status).toBe(200);
    expect((await widgets.create('new', { spec: { size: 'M' } })).status).toBe(422);
  },

  'shows the replicas of an object as a Scale': async (scope) => {
    const widgets = await withScale(scope, { labelSelectorPath: '.status.selector' });
    const { metadata } = await widgets.make('a', { spec: { replicas: 3 } });
    await widgets.merge('a/status', { status: { replicas: 2, selector: 'app=a' } });
    const { status: code, body } = await scope.api.get(widgets.path('a/scale'));
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: scope.namespace, uid: metadata.uid },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'app=a' },
    });
  },

  'changes the replicas of an object through its Scale': async (scope) => {
    const widgets = await withScale(scope);
    await widgets.make('a', { spec: { replicas: 3, size: 'S' } });
    const patched = await widgets.merge('a/scale', { spec: { replicas: 4 } });
    expect(patched).toMatchObject({
      status: 200,
      body: { kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 0 } },
    });
    const put = await scope.api.put(widgets.path('a/scale'), { ...patched.body, spec: { replicas: 5 } });
    expect(put).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
    const stale = await scope.api.put(widgets.path('a/scale'), { ...patched.body, spec: { replicas: 6 } });
    expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await scope.api.get(widgets.path('a'))).body).toMatchObject({
      spec: { replicas: 5, size: 'S' },
      metadata: { generation: 3 },
    });
  },

  'refuses a Scale with negative replicas, or with more than the schema allows': async (scope) => {
    const widgets = await withScale(scope);
    await widgets.make('a', { spec: { replicas: 3 } });
    expect(causesOf(await widgets.merge('a/scale', { spec: { replicas: -1 } }))).toContainEqual(
      cause('.spec.replicas', 'should be a non-negative integer'),
    );
    expect(causesOf(await widgets.merge('a/scale', { spec: { replicas: 51 } }))).toEqual([
      cause('spec.replicas', 'should be less than or equal to 50'),
    ]);
    expect((await widgets.merge('a/scale', { spec: { replicas: 50 } })).status).toBe(200);
  },

  'answers 500 for the Scale of an object without the field of the replicas': async (scope) => {
    const widgets = await withScale(scope);
    await widgets.make('a', { spec: { size: 'S' } });
    const { status: code, body } = await scope.api.get(widgets.path('a/scale'));
    expect({ code, reason: body.reason, message: body.message }).toEqual({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    expect((await widgets.merge('a/scale', { spec: { replicas: 1 } })).body.spec).toEqual({ replicas: 1 });
    expect((await scope.api.get(widgets.path('a/scale'))).status).toBe(200);
  },

  'answers 404 for subresources of an object that does not exist': async (scope) => {
    const widgets = await withScale(scope);
    for (const path of ['none', 'none/status', 'none/scale']) {
      const { body } = await scope.api.get(widgets.path(path));
      expect(body).toMatchObject({
        code: 404,
        reason: 'NotFound',
        details: { name: 'none', group: widgets.group, kind: 'widgets' },
      });
      expect((await widgets.merge(path, { spec: {} })).status).toBe(404);
    }
    await widgets.make('some', { spec: { replicas: 1 } });
    expect((await scope.api.get(widgets.path('some/scale'))).status).toBe(200);
  },

  'records who scaled an object in its managed fields': async (scope) => {
    const widgets = await withScale(scope);
    await widgets.make('a', { spec: { replicas: 3 } });
    const path = widgets.path('a/scale');
    await scope.api.patch(path, 'merge', { spec: { replicas: 4 } }, { query: { fieldManager: 'scaler' } });
    const { body } = await scope.api.get(widgets.path('a'));
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'scaler',
        operation: 'Update',
        subresource: 'scale',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      }),
    );
  },
};
