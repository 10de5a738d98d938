import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../schema/types.js';
import { conflictStatus } from './conflict-status.js';
import { PatchError } from './errors.js';
import { applyServerSide } from './server-side-apply.js';
import {
  applied,
  apply,
  bare,
  gizmo,
  gizmoSchema,
  later,
  noon,
  owners,
  updated,
  apiVersion,
} from './testing/gizmo.js';

const http = { port: 80, name: 'http' };

describe('applyServerSide', () => {
  it('creates an object whose manager owns the applied fields, including items and map keys', () => {
    const config = gizmo({
      size: 'S',
      ports: [http],
      tags: ['a'],
      labels: { x: '1' },
      selector: { k: 'v' },
      args: ['-v'],
    });
    const object = applied(undefined, config, 'one');
    expect(bare(object)).toEqual(config);
    expect(object['metadata']).toHaveProperty('managedFields', [
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: apiVersion,
        time: '2030-01-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:args': {},
            'f:labels': { 'f:x': {} },
            'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
            'f:selector': {},
            'f:size': {},
            'f:tags': { 'v:"a"': {} },
          },
        },
      },
    ]);
  });

  it('assigns unknown content key by key, and lists in it as a whole', () => {
    const object = applied(undefined, gizmo({ blob: { a: { b: [1] }, empty: {} } }), 'one');
    expect(owners(object)).toEqual({
      'one Apply': { 'f:spec': { 'f:blob': { 'f:a': { '.': {}, 'f:b': {} }, 'f:empty': {} } } },
    });
  });

  it('deduces all types without a schema', () => {
    const config = gizmo({ tags: ['a'], nested: { a: '1' } });
    const object = applied(undefined, config, 'one', { schema: undefined });
    expect(owners(object)).toEqual({
      'one Apply': { 'f:spec': { '.': {}, 'f:nested': { '.': {}, 'f:a': {} }, 'f:tags': {} } },
    });
  });

  it('changes nothing, including times, when nothing changes', () => {
    const object = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    expect(applied(object, gizmo({ count: 1, size: 'S' }), 'one', { now: later })).toEqual(object);
  });

  it('merges what managers apply to the same lists and maps, in the order of the applied list', () => {
    const first = applied(undefined, gizmo({ ports: [http], tags: ['a', 'b'], labels: { x: '1' } }), 'one');
    const second = applied(
      first,
      gizmo({ ports: [{ port: 90 }, http], tags: ['b', 'c'], labels: { y: '2' } }),
      'two',
    );
    expect(second['spec']).toEqual({
      ports: [{ port: 90 }, http],
      tags: ['a', 'b', 'c'],
      labels: { x: '1', y: '2' },
    });
  });

  it('reports exactly the fields of other managers whose value changes', () => {
    const one = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    const hand = updated(one, { ...one, spec: { size: 'S', count: 2, on: true } }, 'hand');
    const result = apply(hand, gizmo({ size: 'L', count: 3, on: true }), 'two');
    const identity = { apiVersion: apiVersion };
    expect(result).toEqual({
      conflicts: [
        { ...identity, manager: 'hand', operation: 'Update', field: '.spec.count' },
        { ...identity, manager: 'one', operation: 'Apply', field: '.spec.size' },
      ],
    });
  });

  it('takes over fields with force', () => {
    const one = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    const two = applied(one, gizmo({ size: 'L' }), 'two', { force: true, now: later });
    expect(two['spec']).toEqual({ size: 'L', count: 1 });
    expect(owners(two)).toEqual({
      'one Apply': { 'f:spec': { 'f:count': {} } },
      'two Apply': { 'f:spec': { 'f:size': {} } },
    });
  });

  it('shares a field with the same value, and keeps the field until the last owner omits it', () => {
    const one = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    const shared = applied(one, gizmo({ size: 'S' }), 'two');
    const kept = applied(shared, gizmo({ count: 1 }), 'one');
    expect(kept['spec']).toEqual({ size: 'S', count: 1 });
    expect(applied(kept, gizmo({}), 'two')['spec']).toEqual({ count: 1 });
  });

  it('does not change fields without an owner', () => {
    const defaulted = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    const live = { ...defaulted, spec: { size: 'S', count: 1, on: true } };
    expect(applied(live, gizmo({ size: 'S' }), 'one')['spec']).toEqual({ size: 'S', on: true });
  });

  it('removes items of lists and keys of maps that are no longer applied', () => {
    const config = gizmo({
      ports: [http, { port: 90, env: { a: '1', b: '2' } }],
      tags: ['a', 'b'],
      labels: { x: '1', y: '2' },
    });
    const object = applied(undefined, config, 'one');
    const next = gizmo({ ports: [{ port: 90, env: { b: '2' } }], labels: { y: '2' } });
    expect(bare(applied(object, next, 'one'))).toEqual(next);
  });

  it('separates the status and the main resource', () => {
    const one = applied(undefined, gizmo({ size: 'S' }), 'ctl');
    const status = { ...gizmo({ size: 'ignored' }), status: { phase: 'Ready' } };
    const both = applied(one, status, 'ctl', { subresource: 'status' });
    expect(both['spec']).toEqual({ size: 'S' });
    expect(owners(both)).toEqual({
      'ctl Apply': { 'f:spec': { 'f:size': {} } },
      'ctl Apply status': { 'f:status': { 'f:phase': {} } },
    });
    const main = applied(both, { ...gizmo({ size: 'S' }), status: { phase: 'Lost' } }, 'other');
    expect(main['status']).toEqual({ phase: 'Ready' });
    expect(owners(main)).toHaveProperty(['other Apply'], { 'f:spec': { 'f:size': {} } });
  });

  it('tracks an object without managers as changed before the first apply', () => {
    const live = gizmo({ size: 'S', count: 1 }, { uid: 'u' });
    const result = apply(live, gizmo({ size: 'L' }), 'one');
    expect(result).toMatchObject({ conflicts: [{ manager: 'before-first-apply', field: '.spec.size' }] });
    expect(owners(applied(live, gizmo({ size: 'L' }), 'one', { force: true }))).toMatchObject({
      'before-first-apply Update': { 'f:spec': { 'f:count': {} } },
    });
  });

  it('replaces the entry of a manager that uses another API version', () => {
    const one = applied(undefined, gizmo({ size: 'S', count: 1 }), 'one');
    const config = { ...gizmo({ size: 'S' }), apiVersion: 'demo.test/v2' };
    const two = applied(one, config, 'one', { apiVersion: 'demo.test/v2' });
    expect(two['spec']).toEqual({ size: 'S' });
    expect(two['metadata']).toMatchObject({ managedFields: [{ apiVersion: 'demo.test/v2' }] });
  });

  it.each<[string, JsonObject, number, string]>([
    ['another kind', { ...gizmo(), kind: 'Other' }, 400, 'invalid object type: demo.test/v1, Kind=Other'],
    ['no kind', { spec: {} }, 400, 'invalid object type: /, Kind='],
    ['managedFields', gizmo({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    ['an unknown field', gizmo({ nope: 1 }), 500, '.spec.nope: field not declared in schema'],
    ['a duplicate item', gizmo({ tags: ['a', 'a'] }), 500, '.spec.tags: duplicate entries for key [="a"]'],
    [
      'a duplicate key that follows from a default',
      gizmo({ ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }),
      500,
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'an item without its key',
      gizmo({ ports: [{ name: 'x' }] }),
      500,
      '.spec.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn\'t have default value)',
    ],
    [
      'a number for a string',
      gizmo({ size: 1 }),
      500,
      '.spec.size: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'a string for a number',
      gizmo({ count: '1' }),
      500,
      '.spec.count: expected numeric (int or float), got string',
    ],
    ['a scalar for a map', gizmo({ labels: 'x' }), 500, '.spec.labels: expected map, got "x"'],
  ])('refuses %s', (_, config, code, message) => {
    const attempt = (): unknown => apply(undefined, config, 'one');
    expect(attempt).toThrow(PatchError);
    const prefix = code === 500 ? 'failed to create typed patch object (/g; demo.test/v1, Kind=Gizmo): ' : '';
    expect(attempt).toThrow(expect.objectContaining({ code, message: `${prefix}${message}` }));
  });

  it('takes over the fields of a client-side apply, if the manager is kubectl', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = gizmo({ size: 'S', count: 1 });
    const live = gizmo(
      { size: 'S', count: 2 },
      { uid: 'u', annotations: { [annotation]: JSON.stringify(last) } },
    );
    const tracked = updated(undefined, live, 'kubectl-client-side-apply');
    const changed = applied(tracked, gizmo({ size: 'L' }), 'kubectl');
    expect(changed['spec']).toEqual({ size: 'L', count: 2 });
    expect(
      JSON.parse((changed['metadata'] as { annotations: Record<string, string> }).annotations[annotation]!),
    ).toEqual(gizmo({ size: 'L' }));
    expect(apply(tracked, gizmo({ count: 3 }), 'kubectl')).toMatchObject({
      conflicts: [{ field: '.spec.count' }],
    });
    expect(apply(tracked, gizmo({ size: 'L' }), 'other')).toHaveProperty('conflicts');
  });

  it('uses the common type of metadata for all kinds', () => {
    const config = gizmo(
      {},
      { finalizers: ['a/b'], ownerReferences: [{ uid: 'u1', name: 'n' }], labels: { l: '1' } },
    );
    const request = {
      live: undefined,
      config,
      manager: 'one',
      apiVersion: apiVersion,
      kind: 'Gizmo',
      now: noon,
    };
    const result = applyServerSide({
      ...request,
      schema: { ...gizmoSchema, properties: { ...gizmoSchema.properties, metadata: { type: 'object' } } },
    });
    expect('object' in result && owners(result.object)).toMatchObject({
      'one Apply': {
        'f:metadata': {
          'f:finalizers': { 'v:"a/b"': {} },
          'f:labels': { 'f:l': {} },
          'f:ownerReferences': { 'k:{"uid":"u1"}': {} },
        },
      },
    });
  });
});

describe('conflictStatus', () => {
  const base = { apiVersion: 'demo.test/v1' };
  const one = { ...base, manager: 'one', operation: 'Apply' as const, field: '.spec.size' };

  it('names the manager and the field', () => {
    expect(conflictStatus([one])).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.size',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.size' }],
      },
    });
  });

  it('groups several conflicts by manager', () => {
    const hand = {
      ...base,
      manager: 'hand',
      operation: 'Update' as const,
      subresource: 'scale',
      field: '.spec.count',
    };
    expect(conflictStatus([hand, one, { ...one, field: '.spec.on' }])).toMatchObject({
      message: [
        'Apply failed with 3 conflicts: conflicts with "hand" with subresource "scale" using demo.test/v1:',
        '- .spec.count',
        'conflicts with "one":',
        '- .spec.size',
        '- .spec.on',
      ].join('\n'),
    });
  });
});
