import { expect } from 'expect';
import type { Cases, Fields } from './definition.js';
import { conflict, conflictOf, force, owned, widgetsOf } from './applied.js';

/** Rules about server-side apply of custom resources. */
export const applyCases: Cases = {
  'creates an object by apply and records its fields without defaults': async (scope) => {
    const widgets = await widgetsOf(scope);
    const { status: code, body } = await widgets.apply('a', 'one', {
      spec: { size: 'S', ports: [{ name: 'x', port: 1 }] },
    });
    expect(code).toBe(201);
    expect(body.spec).toEqual({ size: 'S', colour: 'red', ports: [{ name: 'x', port: 1, protocol: 'TCP' }] });
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: `${widgets.group}/v1`,
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:size': {},
            'f:ports': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
          },
        },
      },
    ]);
  },

  'changes nothing when the same configuration is applied again': async (scope) => {
    const widgets = await widgetsOf(scope);
    const first = await widgets.apply('a', 'one', { spec: { size: 'S' } });
    const second = await widgets.apply('a', 'one', { spec: { size: 'S' } });
    expect(second.status).toBe(200);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const third = await widgets.apply('a', 'one', { spec: { size: 'M' } });
    expect(third.body.metadata.resourceVersion).not.toBe(first.body.metadata.resourceVersion);
  },

  'refuses to apply fields that another manager owns, and names manager and field': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', {
      spec: { size: 'S', ports: [{ name: 'x', port: 1 }], limits: { cpu: '1' } },
    });
    const desired = { spec: { size: 'M', ports: [{ name: 'x', port: 2 }], limits: { cpu: '2' } } };
    const refused = await widgets.apply('a', 'two', desired);
    expect(conflictOf(refused).sort()).toEqual([
      conflict('.spec.limits.cpu', 'one'),
      conflict('.spec.ports[name="x"].port', 'one'),
      conflict('.spec.size', 'one'),
    ]);
    expect(refused.body.message).toContain('Apply failed with 3 conflicts: conflicts with "one"');
    const forced = await widgets.apply('a', 'two', desired, force);
    expect(forced).toMatchObject({ status: 200, body: { spec: { size: 'M', limits: { cpu: '2' } } } });
    expect(owned(forced.body, 'one')).toEqual({
      'f:spec': { 'f:ports': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } } },
    });
  },

  'names an updating manager with its version and time in a conflict': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.create('a', { spec: { size: 'S' } }, { query: { fieldManager: 'editor' } });
    const refused = await widgets.apply('a', 'one', { spec: { size: 'M' } });
    expect(refused.status).toBe(409);
    expect(refused.body.details?.causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        field: '.spec.size',
        message: expect.stringMatching(/^conflict with "editor" using crd-\S+\/v1( at \S+)?$/),
      },
    ]);
  },

  'shares a field between managers that apply the same value': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { size: 'S' } });
    expect((await widgets.apply('a', 'two', { spec: { size: 'S' } })).status).toBe(200);
    const dropped = await widgets.apply('a', 'one', { spec: {} });
    expect(dropped.body.spec).toMatchObject({ size: 'S' });
    const gone = await widgets.apply('a', 'two', { spec: {} });
    expect(gone.body.spec).not.toHaveProperty('size');
  },

  'removes fields that their only manager no longer applies': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', {
      spec: { size: 'S', limits: { cpu: '1', memory: '2' }, ports: [{ name: 'x' }, { name: 'y' }] },
    });
    const { body } = await widgets.apply('a', 'one', {
      spec: { limits: { cpu: '1' }, ports: [{ name: 'y' }] },
    });
    expect(body.spec).toEqual({
      colour: 'red',
      limits: { cpu: '1' },
      ports: [{ name: 'y', protocol: 'TCP' }],
    });
  },

  'merges lists of type map by their keys': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { ports: [{ name: 'x', port: 1 }] } });
    const { body } = await widgets.apply('a', 'two', {
      spec: {
        ports: [
          { name: 'y', port: 2 },
          { name: 'x', protocol: 'TCP' },
        ],
      },
    });
    const merged = (body.spec?.['ports'] as Fields[]).map(({ name, port, protocol }) => [
      name,
      port,
      protocol,
    ]);
    expect(merged.sort()).toEqual([
      ['x', 1, 'TCP'],
      ['y', 2, 'TCP'],
    ]);
    expect(owned(body, 'two')).toEqual({
      'f:spec': {
        'f:ports': {
          'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:protocol': {} },
          'k:{"name":"y"}': { '.': {}, 'f:name': {}, 'f:port': {} },
        },
      },
    });
  },

  'merges lists of type set by their items': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { tags: ['x', 'y'] } });
    const { body } = await widgets.apply('a', 'two', { spec: { tags: ['y', 'z'] } });
    expect([...(body.spec?.['tags'] as string[])].sort()).toEqual(['x', 'y', 'z']);
    expect(owned(body, 'two')).toEqual({ 'f:spec': { 'f:tags': { 'v:"y"': {}, 'v:"z"': {} } } });
    const after = await widgets.apply('a', 'one', { spec: { tags: [] } });
    expect([...(after.body.spec?.['tags'] as string[])].sort()).toEqual(['y', 'z']);
  },

  'replaces atomic lists and maps as a whole': async (scope) => {
    const widgets = await widgetsOf(scope);
    const first = await widgets.apply('a', 'one', { spec: { plain: ['x'], atom: { a: '1' } } });
    expect(owned(first.body, 'one')).toEqual({ 'f:spec': { 'f:plain': {}, 'f:atom': {} } });
    const desired = { spec: { plain: ['y'], atom: { b: '2' } } };
    expect(conflictOf(await widgets.apply('a', 'two', desired)).sort()).toEqual([
      conflict('.spec.atom', 'one'),
      conflict('.spec.plain', 'one'),
    ]);
    const forced = await widgets.apply('a', 'two', desired, force);
    expect(forced.body.spec).toMatchObject({ plain: ['y'], atom: { b: '2' } });
    expect(forced.body.spec?.['atom']).toEqual({ b: '2' });
    expect(owned(forced.body, 'one')).toBeUndefined();
  },

  'merges maps key by key': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { limits: { cpu: '1' } } });
    const { body } = await widgets.apply('a', 'two', { spec: { limits: { memory: '2' } } });
    expect(body.spec?.['limits']).toEqual({ cpu: '1', memory: '2' });
    expect(owned(body, 'two')).toEqual({ 'f:spec': { 'f:limits': { 'f:memory': {} } } });
  },

  'gives updated fields to the manager of the update': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { size: 'S', replicas: 1 } });
    const answer = await scope.api.patch(
      widgets.path('a'),
      'merge',
      { spec: { replicas: 2 } },
      { query: { fieldManager: 'editor' } },
    );
    expect(owned(answer.body, 'editor')).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(owned(answer.body, 'one')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect(conflictOf(await widgets.apply('a', 'one', { spec: { size: 'S', replicas: 1 } }))).toEqual([
      conflict('.spec.replicas', 'editor'),
    ]);
  },

  'keeps the managers of spec and status apart': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { size: 'S' } });
    const applied = await widgets.apply('a/status', 'one', {
      spec: { size: 'M' },
      status: { phase: 'Done' },
    });
    expect(applied).toMatchObject({ status: 200, body: { spec: { size: 'S' }, status: { phase: 'Done' } } });
    expect(owned(applied.body, 'one', 'status')).toEqual({ 'f:status': { 'f:phase': {} } });
    expect(owned(applied.body, 'one')).toEqual({ 'f:spec': { 'f:size': {} } });
    const again = await widgets.apply('a', 'one', { spec: { size: 'M' }, status: { phase: 'ignored' } });
    expect(again.body).toMatchObject({ spec: { size: 'M' }, status: { phase: 'Done' } });
  },
};
