import { expect } from 'expect';
import type { Cases } from './definition.js';
import { force, owned, widgetsOf } from './applied.js';

/** Rules about the requests of server-side apply. */
export const applyRequestCases: Cases = {
  'requires a field manager, the name and the kind of the applied object': async (scope) => {
    const widgets = await widgetsOf(scope);
    const path = widgets.path('a');
    const none = await scope.api.patch(path, 'apply', widgets.object('a'));
    expect(none).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'fieldManager', reason: 'FieldValueRequired' }] } },
    });
    const other = await scope.api.apply(path, 'one', widgets.object('b'));
    expect(other).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    const untyped = await scope.api.apply(path, 'one', { metadata: { name: 'a' } });
    expect(untyped.status).toBe(400);
    expect((await scope.api.apply(path, 'one', widgets.object('a'))).status).toBe(201);
  },

  'refuses an applied object with managed fields, and one with a list that has two items of the same key':
    async (scope) => {
      const widgets = await widgetsOf(scope);
      const managed = widgets.object(
        'a',
        {},
        {
          managedFields: [
            { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
          ],
        },
      );
      const refused = await scope.api.apply(widgets.path('a'), 'one', managed);
      expect(refused.status).toBe(400);
      expect(refused.body.message).toContain('metadata.managedFields must be nil');
      const twice = await widgets.apply('a', 'one', { spec: { ports: [{ name: 'x' }, { name: 'x' }] } });
      expect(twice.status).toBe(500);
      expect(twice.body.message).toContain('.spec.ports: duplicate entries for key [name="x"]');
      expect((await widgets.apply('a', 'one', { spec: { ports: [{ name: 'x' }] } })).status).toBe(201);
    },

  'refuses to apply to an object whose resourceVersion is another': async (scope) => {
    const widgets = await widgetsOf(scope);
    const { body } = await widgets.apply('a', 'one', { spec: { size: 'S' } });
    const { resourceVersion } = body.metadata;
    const apply = (size: string) =>
      scope.api.apply(widgets.path('a'), 'one', widgets.object('a', { spec: { size } }, { resourceVersion }));
    expect((await apply('M')).status).toBe(200);
    expect(await apply('L')).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  },

  'applies YAML': async (scope) => {
    const widgets = await widgetsOf(scope);
    const yaml = `apiVersion: ${widgets.group}/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: S # small\n`;
    const { status: code, body } = await scope.api.apply(widgets.path('a'), 'one', yaml);
    expect({ code, spec: body.spec }).toEqual({ code: 201, spec: { size: 'S', colour: 'red' } });
  },

  'forgets who managed the fields when managedFields are emptied': async (scope) => {
    const widgets = await widgetsOf(scope);
    await widgets.apply('a', 'one', { spec: { size: 'S' } });
    const { body } = await widgets.merge('a', { metadata: { managedFields: [{}] } });
    expect(body.metadata).not.toHaveProperty('managedFields');
    const { body: applied } = await widgets.apply('a', 'two', { spec: { size: 'M' } }, force);
    expect(owned(applied, 'two')).toEqual({ 'f:spec': { 'f:size': {} } });
  },
};
