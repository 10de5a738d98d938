import { describe, expect, it } from '@jest/globals';
import type { JsonObject, Schema } from '../schema/types.js';
import { applied, gizmo, later, noon, owners, updated } from './testing/gizmo.js';
import { zeroObject } from './zero-object.js';

function withSpec(object: JsonObject, spec: JsonObject): JsonObject {
  return { ...object, spec };
}

function entries(object: JsonObject): JsonObject[] {
  return ((object['metadata'] as JsonObject)['managedFields'] ?? []) as JsonObject[];
}

const created = updated(
  undefined,
  gizmo({ size: 'S', ports: [{ port: 80 }] }, { labels: { a: '1' }, uid: 'u' }),
  'maker',
);

describe('trackUpdate', () => {
  it('assigns the fields of a created object to its creator, except for the fields that the server sets', () => {
    expect(entries(created)).toEqual([
      {
        manager: 'maker',
        operation: 'Update',
        apiVersion: 'demo.test/v1',
        time: '2030-01-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            '.': {},
            'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
            'f:size': {},
          },
        },
      },
    ]);
  });

  it('writes no entry when only server fields are set', () => {
    expect(entries(updated(undefined, gizmo(), 'maker'))).toEqual([]);
  });

  it('reassigns changed fields and drops removed fields, including fields of applies', () => {
    const shared = applied(created, gizmo({ size: 'S', count: 1 }), 'one');
    const after = updated(shared, withSpec(shared, { size: 'L', ports: [] }), 'hand', { now: later });
    expect(owners(after)).toEqual({
      'maker Update': {
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': { '.': {}, 'f:ports': {} },
      },
      'hand Update': { 'f:spec': { 'f:size': {} } },
    });
  });

  it('adds to the entry of the same manager and renews its time', () => {
    const after = updated(
      created,
      withSpec(created, { size: 'S', ports: [{ port: 80 }], on: true }),
      'maker',
      { now: later },
    );
    expect(entries(after)).toHaveLength(1);
    expect(entries(after)[0]).toMatchObject({
      time: '2030-01-01T12:05:00Z',
      fieldsV1: { 'f:spec': { 'f:on': {}, 'f:size': {} } },
    });
  });

  it('separates operations, versions and subresources of a manager', () => {
    const status = updated(created, { ...created, status: { phase: 'Ready' } }, 'maker', {
      subresource: 'status',
    });
    const v2 = updated(status, withSpec(status, { size: 'M' }), 'maker', { apiVersion: 'demo.test/v2' });
    expect(entries(v2).map(({ apiVersion, subresource }) => [apiVersion, subresource])).toEqual([
      ['demo.test/v1', undefined],
      ['demo.test/v1', 'status'],
      ['demo.test/v2', undefined],
    ]);
  });

  it('ignores the status on the main resource, and all fields but the status on the status subresource', () => {
    expect(updated(created, { ...created, status: { phase: 'Ready' } }, 'x')['metadata']).toEqual(
      created['metadata'],
    );
    const sneaky = { ...withSpec(created, { size: 'L' }), status: { phase: 'Ready' } };
    expect(owners(updated(created, sneaky, 'x', { subresource: 'status' }))['x Update status']).toEqual({
      'f:status': { '.': {}, 'f:phase': {} },
    });
    expect(
      owners(updated(created, { ...created, status: { seen: 1 } }, 'x', { resetFields: [] })),
    ).toHaveProperty(['x Update']);
  });

  it('sorts entries of applies first, then by time and name', () => {
    const b = updated(created, withSpec(created, { size: 'M', ports: [{ port: 80 }] }), 'b', { now: later });
    const a = updated(b, withSpec(b, { size: 'M', ports: [{ port: 80 }], count: 1 }), 'a', { now: later });
    const z = applied(a, gizmo({ on: true }), 'z', { now: later });
    expect(entries(z).map(({ manager }) => manager)).toEqual(['z', 'maker', 'a', 'b']);
  });

  it.each([[[]], [[{}]]])(
    'removes all managers when the writer sends %j, until the next apply',
    (managedFields) => {
      const metadata = { ...(created['metadata'] as JsonObject), managedFields };
      const reset = updated(created, { ...created, metadata }, 'hand');
      expect(reset['metadata']).not.toHaveProperty('managedFields');
      const later = updated(reset, withSpec(reset, { size: 'XL' }), 'hand');
      expect(later['metadata']).not.toHaveProperty('managedFields');
      expect(Object.keys(owners(applied(later, gizmo({ on: true }), 'one')))).toEqual([
        'one Apply',
        'before-first-apply Update',
      ]);
    },
  );

  it('accepts the managedFields of the writer, and keeps the stored managedFields if they are malformed or absent', () => {
    const stated = [
      {
        manager: 'new',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:a': {} },
      },
    ];
    const write = (managedFields: JsonObject[] | undefined): string[] => {
      const { managedFields: _, ...metadata } = created['metadata'] as JsonObject;
      const after = { ...created, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
      return Object.keys(owners(updated(created, after, 'hand')));
    };
    expect(write(stated)).toEqual(['new Update']);
    expect(write([{ ...stated[0], operation: 'Guess' }])).toEqual(['maker Update']);
    expect(write(undefined)).toEqual(['maker Update']);
  });

  it('merges the oldest of more than ten update managers', () => {
    let object = updated(undefined, gizmo({ labels: {} }, { uid: 'u' }), 'm00');
    for (let i = 1; i <= 12; i += 1) {
      const labels = Object.fromEntries(Array.from({ length: i }, (_, n) => [`l${String(n)}`, '1']));
      const now = new Date(noon.getTime() + i * 1000);
      object = updated(object, withSpec(object, { labels }), `m${String(i).padStart(2, '0')}`, { now });
    }
    const managers = entries(object).map(({ manager }) => manager);
    expect(managers).toHaveLength(10);
    expect(managers[0]).toBe('ancient-changes');
    expect(managers.slice(1)).toEqual(['m04', 'm05', 'm06', 'm07', 'm08', 'm09', 'm10', 'm11', 'm12']);
    expect(entries(object)[0]).toMatchObject({
      time: '2030-01-01T12:00:03Z',
      fieldsV1: { 'f:spec': { '.': {}, 'f:labels': { 'f:l0': {}, 'f:l1': {}, 'f:l2': {} } } },
    });
  });

  it('merges without losing a field when the merged entry is not the oldest', () => {
    const entry = (manager: string, second: number): JsonObject => ({
      manager,
      operation: 'Update',
      apiVersion: 'demo.test/v1',
      time: `2030-01-01T11:00:${String(second).padStart(2, '0')}Z`,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:labels': { [`f:${manager}`]: {} } } },
    });
    const names = Array.from({ length: 9 }, (_, i) => `m${String(i)}`);
    for (const at of [1, 2, 5]) {
      const managedFields = [...names.map((name, i) => entry(name, i * 2)), entry('ancient-changes', at)];
      const labels = Object.fromEntries([...names, 'ancient-changes'].map((name) => [name, '1']));
      const live = gizmo({ labels }, { uid: 'u', managedFields });
      const after = updated(live, withSpec(live, { labels, on: true }), 'last');
      expect(entries(after)).toHaveLength(10);
      const owned = Object.values(owners(after)).flatMap((fields) =>
        Object.keys((fields as { 'f:spec': { 'f:labels'?: object } })['f:spec']['f:labels'] ?? {}),
      );
      expect(owned.sort()).toEqual(
        Object.keys(labels)
          .map((name) => `f:${name}`)
          .sort(),
      );
    }
  });

  it('compares a create with the zero object of the kind', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          default: {},
          required: ['tags'],
          properties: {
            size: { type: 'string', default: 'S' },
            tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            plan: { type: 'object', default: {}, properties: { kind: { type: 'string' } } },
            more: { type: 'object', properties: { kind: { type: 'string' } } },
          },
        },
      },
    };
    const empty = zeroObject(schema);
    expect(empty).toEqual({ spec: { tags: null, plan: {} } });
    const object = gizmo({ size: 'S', tags: ['a'], plan: { kind: 'x' }, more: { kind: 'y' } });
    expect(owners(updated(undefined, object, 'maker', { schema, empty }))['maker Update']).toEqual({
      'f:spec': {
        'f:more': { '.': {}, 'f:kind': {} },
        'f:plan': { 'f:kind': {} },
        'f:size': {},
        'f:tags': { 'v:"a"': {} },
      },
    });
  });
});
