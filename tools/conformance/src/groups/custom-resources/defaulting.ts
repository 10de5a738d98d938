import { expect } from 'expect';
import { define, objectOf, text, whole, type Cases } from './definition.js';

/** Rules about default values. */
export const defaultingCases: Cases = {
  'fills in defaults that an object lacks when it is created': async (scope) => {
    const spec = objectOf({
      colour: { ...text, default: 'red' },
      count: { ...whole, default: 3 },
      on: { type: 'boolean', default: false },
    });
    const widgets = await define(scope, { spec });
    expect((await widgets.make('a', { spec: {} })).spec).toEqual({ colour: 'red', count: 3, on: false });
    expect((await widgets.make('b', { spec: { colour: '', count: 0, on: true } })).spec).toEqual({
      colour: '',
      count: 0,
      on: true,
    });
    expect((await scope.api.get(widgets.path('a'))).body.spec).toEqual({
      colour: 'red',
      count: 3,
      on: false,
    });
  },

  'fills in defaults of nested objects only where the object around them exists': async (scope) => {
    const spec = objectOf({
      outer: objectOf({ inner: { ...text, default: 'x' } }),
      filled: objectOf({ inner: { ...text, default: 'y' } }, { default: {} }),
    });
    const widgets = await define(scope, { spec });
    expect((await widgets.make('a', { spec: {} })).spec).toEqual({ filled: { inner: 'y' } });
    expect((await widgets.make('b', { spec: { outer: {} } })).spec).toEqual({
      outer: { inner: 'x' },
      filled: { inner: 'y' },
    });
    expect(await widgets.make('c')).not.toHaveProperty('spec');
  },

  'fills in defaults in every item of a list and every value of a map': async (scope) => {
    const part = objectOf({ port: { ...whole, default: 80 } });
    const spec = objectOf({
      list: { type: 'array', items: part },
      map: { type: 'object', additionalProperties: part },
    });
    const widgets = await define(scope, { spec });
    const given = { list: [{}, { port: 1 }], map: { a: {}, b: { port: 2 } } };
    expect((await widgets.make('a', { spec: given })).spec).toEqual({
      list: [{ port: 80 }, { port: 1 }],
      map: { a: { port: 80 }, b: { port: 2 } },
    });
  },

  'fills in a default again when an update or a patch removes the field': async (scope) => {
    const widgets = await define(scope, {
      spec: objectOf({ colour: { ...text, default: 'red' }, size: text }),
    });
    const created = await widgets.make('a', { spec: { colour: 'blue', size: 'S' } });
    const replaced = await scope.api.put(widgets.path('a'), { ...created, spec: { size: 'M' } });
    expect({ status: replaced.status, spec: replaced.body.spec }).toEqual({
      status: 200,
      spec: { size: 'M', colour: 'red' },
    });
    await widgets.merge('a', { spec: { colour: 'green' } });
    expect((await widgets.merge('a', { spec: { colour: null } })).body.spec).toEqual({
      size: 'M',
      colour: 'red',
    });
  },

  'replaces null by the default where the schema is not nullable': async (scope) => {
    const spec = objectOf({
      strict: { ...text, default: 'd' },
      nullable: { ...text, nullable: true, default: 'd' },
      bare: text,
      bareNullable: { ...text, nullable: true },
    });
    const widgets = await define(scope, { spec });
    const given = { strict: null, nullable: null, bare: null, bareNullable: null };
    expect((await widgets.make('a', { spec: given })).spec).toEqual({
      strict: 'd',
      nullable: null,
      bareNullable: null,
    });
  },

  'shows defaults that were added later in objects that were stored before': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ size: text }) });
    const stored = await widgets.make('old', { spec: { size: 'S' } });
    await widgets.redefine((version) => {
      version['schema'] = {
        openAPIV3Schema: objectOf({ spec: objectOf({ size: text, colour: { ...text, default: 'red' } }) }),
      };
    });
    const { body } = await scope.api.get(widgets.path('old'));
    expect(body.spec).toEqual({ size: 'S', colour: 'red' });
    expect(body.metadata).toMatchObject({ resourceVersion: stored.metadata.resourceVersion, generation: 1 });
    expect((await scope.api.get(widgets.list())).body.items.map((item) => item.spec)).toEqual([
      { size: 'S', colour: 'red' },
    ]);
  },

  'applies defaults before it validates': async (scope) => {
    const spec = objectOf({ colour: { ...text, default: 'red' } }, { required: ['colour'] });
    const rules = { 'x-kubernetes-validations': [{ rule: "self.colour != 'black'" }] };
    const widgets = await define(scope, { spec: { ...spec, ...rules } });
    expect((await widgets.make('a', { spec: {} })).spec).toEqual({ colour: 'red' });
    expect(await widgets.refused({ spec: { colour: 'black' } })).toHaveLength(1);
  },

  'fills in defaults of status when the status is written': async (scope) => {
    const status = objectOf({ phase: { ...text, default: 'New' }, count: whole });
    const widgets = await define(scope, { status, version: { subresources: { status: {} } } });
    expect(await widgets.make('a')).not.toHaveProperty('status');
    expect((await widgets.merge('a/status', { status: { count: 1 } })).body.status).toEqual({
      phase: 'New',
      count: 1,
    });
  },

  'prunes and defaults embedded resources but keeps their metadata': async (scope) => {
    const embedded = {
      ...objectOf({ spec: objectOf({ size: { ...text, default: 'S' } }) }),
      'x-kubernetes-embedded-resource': true,
    };
    const widgets = await define(scope, { spec: objectOf({ template: embedded }) });
    const template = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', labels: { a: 'b' } },
      spec: { other: 1 },
      extra: true,
    };
    const { status, body, warnings } = await widgets.create('a', { spec: { template } });
    expect(status).toBe(201);
    expect(body.spec).toEqual({ template: { ...template, spec: { size: 'S' }, extra: undefined } });
    expect(warnings.sort()).toEqual([
      'unknown field "spec.template.extra"',
      'unknown field "spec.template.spec.other"',
    ]);
  },

  'requires apiVersion and kind of an embedded resource and checks its metadata': async (scope) => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const widgets = await define(scope, { spec: objectOf({ template: embedded }) });
    const missing = await widgets.refused({ spec: { template: { data: 1 } } });
    expect(missing.map(({ field }) => field)).toEqual(['spec.template.apiVersion', 'spec.template.kind']);
    const named = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a/b' } };
    const wrong = await widgets.refused({ spec: { template: named } });
    expect(wrong.map(({ field }) => field)).toEqual(['spec.template.metadata.name']);
    await widgets.make('a', { spec: { template: { ...named, metadata: { name: 'ok' } } } });
  },
};
