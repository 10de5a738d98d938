import { expect } from 'expect';
import { cause, define, objectOf, text, unchecked, whole, type Cases } from './definition.js';
import { required, type } from './samples.js';

/** Rules about the validation of whole objects and of updates. */
export const objectValidationCases: Cases = {
  'accepts an integer and a string where x-kubernetes-int-or-string is set': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ port: { 'x-kubernetes-int-or-string': true } }) });
    expect((await widgets.make('a', { spec: { port: 80 } })).spec).toEqual({ port: 80 });
    expect((await widgets.make('b', { spec: { port: 'http' } })).spec).toEqual({ port: 'http' });
    expect(await widgets.refused({ spec: { port: true } })).toEqual([
      cause('spec.port', 'spec.port in body must be of type integer,string: "boolean"', type),
    ]);
  },

  'refuses an object without a required field': async (scope) => {
    const item = objectOf({ name: text }, { required: ['name'] });
    const spec = objectOf({ size: text, parts: { type: 'array', items: item } }, { required: ['size'] });
    const widgets = await define(scope, { schema: objectOf({ spec }, { required: ['spec'] }) });
    expect(await widgets.refused({})).toEqual([required('spec')]);
    expect(await widgets.refused({ spec: { parts: [] } })).toEqual([required('spec.size')]);
    expect(await widgets.refused({ spec: { size: 'S', parts: [{ name: 'a' }, {}] } })).toEqual([
      required('spec.parts[1].name'),
    ]);
    await widgets.make('a', { spec: { size: 'S', parts: [{ name: 'a' }] } });
  },

  'leaves out the rules of a schema when values have wrong types or are missing': async (scope) => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self.count < 9', message: 'too many' }] };
    const spec = objectOf({ name: text, count: { ...whole, minimum: 1 } }, { required: ['name'], ...rules });
    const widgets = await define(scope, { spec });
    expect(await widgets.refused({ spec: { count: 10 } })).toEqual([required('spec.name'), unchecked]);
    expect(await widgets.refused({ spec: { name: 1, count: 10 } })).toEqual([
      cause('spec.name', 'must be of type string: "integer"', type),
      unchecked,
    ]);
    expect(await widgets.refused({ spec: { name: 'a', count: 10 } })).toEqual([cause('spec', 'too many')]);
    await widgets.make('a', { spec: { name: 'a', count: 8 } });
  },

  'keeps null where the schema is nullable and refuses it in lists where it is not': async (scope) => {
    const spec = objectOf({ none: { ...text, nullable: true }, list: { type: 'array', items: text } });
    const widgets = await define(scope, { spec });
    expect((await widgets.make('a', { spec: { none: null } })).spec).toEqual({ none: null });
    expect(await widgets.refused({ spec: { list: ['x', null] } })).toEqual([
      cause('spec.list[1]', 'spec.list[1] in body must be of type string: "null"', type),
    ]);
  },

  'refuses duplicates in lists of type set and map': async (scope) => {
    const tags = { type: 'array', 'x-kubernetes-list-type': 'set', items: text };
    const ports = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: objectOf({ name: text, protocol: { ...text, default: 'TCP' } }, { required: ['name'] }),
    };
    const widgets = await define(scope, { spec: objectOf({ tags, ports }) });
    const duplicate = (field: string, value: string): object => cause(field, value, 'FieldValueDuplicate');
    expect(await widgets.refused({ spec: { tags: ['a', 'b', 'a'] } })).toEqual([
      duplicate('spec.tags[2]', 'Duplicate value: "a"'),
    ]);
    expect(
      await widgets.refused({ spec: { ports: [{ name: 'a' }, { name: 'a', protocol: 'TCP' }] } }),
    ).toEqual([duplicate('spec.ports[1]', 'Duplicate value: {"name":"a","protocol":"TCP"}')]);
    await widgets.make('a', {
      spec: { tags: ['a', 'b'], ports: [{ name: 'a' }, { name: 'a', protocol: 'UDP' }] },
    });
  },

  'reports every invalid field of an object at once': async (scope) => {
    const spec = objectOf({ size: { ...text, enum: ['S'] }, count: { ...whole, minimum: 1 }, name: text });
    const widgets = await define(scope, { spec });
    const answer = await widgets.create('refused', { spec: { size: 'L', count: 0, name: 'ok' } });
    expect(answer.status).toBe(422);
    expect(answer.body.details).toMatchObject({ name: 'refused', group: widgets.group, kind: 'Widget' });
    const causes = answer.body.details?.causes ?? [];
    expect(causes).toHaveLength(2);
    expect(causes).toContainEqual(cause('spec.size', 'Unsupported value: "L"', 'FieldValueNotSupported'));
    expect(causes).toContainEqual(cause('spec.count', 'should be greater than or equal to 1'));
    expect(answer.body.message).toMatch(
      new RegExp(`^Widget\\.${widgets.group.replaceAll('.', '\\.')} "refused" is invalid: \\[`),
    );
  },

  'validates names and generated names by a schema of metadata': async (scope) => {
    const metadata = objectOf({ name: { ...text, pattern: '^w-' } });
    const widgets = await define(scope, { schema: objectOf({ metadata }) });
    expect(await widgets.refused({}, 'x-1')).toEqual([
      cause('metadata.name', "metadata.name in body should match '^w-'"),
    ]);
    await widgets.make('w-1');
  },

  'tolerates an invalid field that an update leaves as it is': async (scope) => {
    const spec = objectOf({ size: text, colour: text });
    const widgets = await define(scope, { spec });
    await widgets.make('old', { spec: { size: 'huge', colour: 'red' } });
    await widgets.redefine((version) => {
      const narrowed = objectOf({ size: { ...text, enum: ['S'] }, colour: { ...text, maxLength: 5 } });
      version['schema'] = { openAPIV3Schema: objectOf({ spec: narrowed }) };
    });
    expect((await widgets.merge('old', { spec: { colour: 'blue' } })).status).toBe(200);
    const { status, body } = await widgets.merge('old', { spec: { size: 'gigantic' } });
    expect({ status, causes: body.details?.causes }).toEqual({
      status: 422,
      causes: [cause('spec.size', 'Unsupported value: "gigantic"', 'FieldValueNotSupported')],
    });
    expect((await widgets.merge('old', { spec: { size: 'S' } })).status).toBe(200);
    expect((await widgets.merge('old', { spec: { size: 'huge' } })).status).toBe(422);
  },
};
