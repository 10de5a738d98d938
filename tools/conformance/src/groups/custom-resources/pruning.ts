import { expect } from 'expect';
import { define, objectOf, text, type Cases, type Fields } from './definition.js';

const keep = { 'x-kubernetes-preserve-unknown-fields': true };
const part = objectOf({ name: text });
const spec = objectOf({
  size: text,
  part,
  parts: { type: 'array', items: part },
  map: { type: 'object', additionalProperties: part },
});
const given: Fields = {
  size: 'S',
  a: 1,
  part: { name: 'x', b: 2 },
  parts: [{ name: 'y' }, { c: 3 }],
  map: { key: { name: 'z', d: 4 } },
};
const pruned: Fields = {
  size: 'S',
  part: { name: 'x' },
  parts: [{ name: 'y' }, {}],
  map: { key: { name: 'z' } },
};
const unknown = ['spec.a', 'spec.map.key.d', 'spec.part.b', 'spec.parts[1].c'].map(
  (path) => `unknown field "${path}"`,
);

/** Rules about fields that the schema does not contain. */
export const pruningCases: Cases = {
  'drops unknown fields and warns of them by default': async (scope) => {
    const widgets = await define(scope, { spec });
    for (const fieldValidation of [undefined, 'Warn']) {
      const answer = await widgets.create(
        `a${fieldValidation?.toLowerCase() ?? ''}`,
        { spec: given },
        { query: { fieldValidation } },
      );
      expect(answer.status).toBe(201);
      expect(answer.body.spec).toEqual(pruned);
      expect(answer.warnings.sort()).toEqual(unknown);
    }
    expect((await scope.api.get(widgets.path('a'))).body.spec).toEqual(pruned);
  },

  'drops unknown fields without a warning with fieldValidation=Ignore': async (scope) => {
    const widgets = await define(scope, { spec });
    const answer = await widgets.create('a', { spec: given }, { query: { fieldValidation: 'Ignore' } });
    expect({ status: answer.status, spec: answer.body.spec }).toEqual({ status: 201, spec: pruned });
    expect(answer.warnings).toEqual([]);
  },

  'refuses unknown fields with fieldValidation=Strict': async (scope) => {
    const widgets = await define(scope, { spec });
    const strict = { query: { fieldValidation: 'Strict' } };
    const { status, body } = await widgets.create('a', { spec: given }, strict);
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'BadRequest' });
    expect(body.message).toContain(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: ',
    );
    for (const warning of unknown) expect(body.message).toContain(warning);
    expect((await widgets.create('a', { spec: pruned }, strict)).status).toBe(201);
  },

  'refuses unknown fields of a patch with fieldValidation=Strict': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S' } });
    const strict = { query: { fieldValidation: 'Strict' } };
    const patch = (fields: Fields) => scope.api.patch(widgets.path('a'), 'merge', { spec: fields }, strict);
    const { status, body } = await patch({ other: 1 });
    expect(status).toBe(422);
    expect(body.details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'patch',
        message: expect.stringContaining('strict decoding error: unknown field "spec.other"'),
      },
    ]);
    expect((await patch({ size: 'M' })).status).toBe(200);
  },

  'refuses a field that is given twice with fieldValidation=Strict and warns by default': async (scope) => {
    const widgets = await define(scope, { spec });
    const head = JSON.stringify(widgets.object('a')).slice(0, -1);
    const twice = `${head},"spec":{"size":"S","size":"M"}}`;
    const strict = await scope.api.post(widgets.list(), twice, { query: { fieldValidation: 'Strict' } });
    expect(strict.status).toBe(400);
    expect(strict.body.message).toContain('duplicate field "spec.size"');
    const lenient = await scope.api.post(widgets.list(), twice);
    expect({ status: lenient.status, spec: lenient.body.spec }).toEqual({ status: 201, spec: { size: 'M' } });
    expect(lenient.warnings).toEqual(['duplicate field "spec.size"']);
  },

  'keeps unknown fields below x-kubernetes-preserve-unknown-fields': async (scope) => {
    const open = objectOf({ known: objectOf({ a: text }) }, keep);
    const widgets = await define(scope, { spec: objectOf({ open, any: keep }) });
    const fields = { open: { known: { a: 'x', b: 1 }, other: { c: [{ d: 2 }] } }, any: [1, { e: 3 }] };
    const answer = await widgets.create('a', { spec: fields });
    expect(answer.body.spec).toEqual({ ...fields, open: { ...fields.open, known: { a: 'x' } } });
    expect(answer.warnings).toEqual(['unknown field "spec.open.known.b"']);
  },

  'keeps every field of an object whose schema preserves unknown fields at the root': async (scope) => {
    const widgets = await define(scope, { schema: { type: 'object', ...keep } });
    const body = await widgets.make('a', { spec: { a: [1] }, data: { b: 2 } });
    expect(body).toMatchObject({ spec: { a: [1] }, data: { b: 2 } });
  },

  'drops unknown fields at the root of an object': async (scope) => {
    const widgets = await define(scope, { spec });
    const answer = await widgets.create('a', { spec: { size: 'S' }, data: { b: 2 } });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.warnings).toEqual(['unknown field "data"']);
  },

  'reports unknown fields of metadata': async (scope) => {
    const widgets = await define(scope);
    const metadata = { name: 'a', colour: 'red' };
    const strict = await scope.api.post(
      widgets.list(),
      { ...widgets.object('a'), metadata },
      { query: { fieldValidation: 'Strict' } },
    );
    expect(strict.status).toBe(400);
    expect(strict.body.message).toContain('unknown field "metadata.colour"');
    const lenient = await scope.api.post(widgets.list(), { ...widgets.object('a'), metadata });
    expect(lenient.status).toBe(201);
    expect(lenient.warnings).toEqual(['unknown field "metadata.colour"']);
    expect(lenient.body.metadata).not.toHaveProperty('colour');
  },

  'refuses labels that are not strings': async (scope) => {
    const widgets = await define(scope);
    const { status, body } = await widgets.create('a', {}, { metadata: { labels: { a: 1 } } });
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'BadRequest' });
    expect(body.message).toContain('cannot unmarshal number into Go struct field ObjectMeta');
    await widgets.make('a', {}, { labels: { a: '1' } });
  },

  'shows objects without the fields that the schema no longer knows': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ size: text, colour: text }) });
    await widgets.make('old', { spec: { size: 'S', colour: 'red' } });
    await widgets.redefine((version) => {
      version['schema'] = { openAPIV3Schema: objectOf({ spec: objectOf({ size: text }) }) };
    });
    expect((await scope.api.get(widgets.path('old'))).body.spec).toEqual({ size: 'S' });
  },

  'refuses an object of another kind or version than the path': async (scope) => {
    const widgets = await define(scope);
    const wrong = async (fields: Fields) =>
      (await scope.api.post(widgets.list(), { ...widgets.object('a'), ...fields })).body;
    expect(await wrong({ kind: 'Gadget' })).toMatchObject({
      code: 422,
      reason: 'Invalid',
    });
    expect(await wrong({ apiVersion: `${widgets.group}/v2` })).toMatchObject({
      code: 400,
      reason: 'BadRequest',
    });
    await widgets.make('a');
  },
};
