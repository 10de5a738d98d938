import { expect } from 'expect';
import { causesOf, define, objectOf, tableOnly, text, whole, type Cases, type Fields } from './definition.js';

const spec = objectOf({
  size: text,
  count: whole,
  tags: { type: 'array', items: text },
  on: { type: 'boolean' },
});

interface Table {
  columnDefinitions: Fields[];
  rows: { cells: unknown[]; object: { metadata: { name: string } } }[];
}

/** Rules about reading and changing single objects. */
export const objectCases: Cases = {
  'merges a JSON merge patch into an object': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S', count: 1, tags: ['x', 'y'] } });
    const { status, body } = await widgets.merge('a', { spec: { size: null, count: 2, tags: ['z'] } });
    expect({ status, spec: body.spec }).toEqual({ status: 200, spec: { count: 2, tags: ['z'] } });
  },

  'applies the operations of a JSON patch': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S', tags: ['x', 'z'] } });
    const patch = (...operations: Fields[]) => scope.api.patch(widgets.path('a'), 'json', operations);
    const { status, body } = await patch(
      { op: 'test', path: '/spec/size', value: 'S' },
      { op: 'replace', path: '/spec/size', value: 'M' },
      { op: 'add', path: '/spec/tags/1', value: 'y' },
      { op: 'add', path: '/spec/tags/-', value: 'end' },
      { op: 'remove', path: '/spec/tags/0' },
    );
    expect({ status, spec: body.spec }).toEqual({
      status: 200,
      spec: { size: 'M', tags: ['y', 'z', 'end'] },
    });
    expect((await patch({ op: 'test', path: '/spec/size', value: 'S' })).status).toBe(422);
    expect((await patch({ op: 'remove', path: '/spec/none' })).status).toBe(422);
  },

  'refuses strategic merge patches with 415': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S' } });
    const { status, body } = await scope.api.patch(widgets.path('a'), 'strategic', { spec: { size: 'M' } });
    expect({ status, reason: body.reason }).toEqual({ status: 415, reason: 'UnsupportedMediaType' });
    expect(body.message).toContain(
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
    expect((await widgets.merge('a', { spec: { size: 'M' } })).status).toBe(200);
  },

  'validates the result of a patch': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { count: 1 } });
    const causes = causesOf(await widgets.merge('a', { spec: { count: 'many' } }));
    expect(causes).toMatchObject([{ field: 'spec.count', reason: 'FieldValueTypeInvalid' }]);
    expect((await scope.api.get(widgets.path('a'))).body.spec).toEqual({ count: 1 });
  },

  'requires a resourceVersion to replace an object': async (scope) => {
    const widgets = await define(scope, { spec });
    const created = await widgets.make('a', { spec: { size: 'S' } });
    const desired = widgets.object('a', { spec: { size: 'M' } });
    expect(causesOf(await scope.api.put(widgets.path('a'), desired))).toMatchObject([
      {
        field: 'metadata.resourceVersion',
        message: expect.stringContaining('must be specified for an update'),
      },
    ]);
    const { resourceVersion } = created.metadata;
    expect(
      (await scope.api.put(widgets.path('a'), { ...desired, metadata: { name: 'a', resourceVersion } }))
        .status,
    ).toBe(200);
    const stale = await scope.api.put(widgets.path('a'), {
      ...desired,
      metadata: { name: 'a', resourceVersion },
    });
    expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  },

  'keeps the resourceVersion of an object when an update changes nothing': async (scope) => {
    const widgets = await define(scope, { spec });
    const created = await widgets.make('a', { spec: { size: 'S' } });
    const same = await widgets.merge('a', { spec: { size: 'S' } });
    expect(same.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    const put = await scope.api.put(widgets.path('a'), created);
    expect(put.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    const changed = await widgets.merge('a', { spec: { size: 'M' } });
    expect(changed.body.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
  },

  'refuses to create an object whose name is taken or not a DNS subdomain': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    const again = await widgets.create('a');
    expect(again).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists', details: { name: 'a', group: widgets.group, kind: 'widgets' } },
    });
    const named = causesOf(await widgets.create('Not_OK'));
    expect(named).toMatchObject([
      {
        field: 'metadata.name',
        message: expect.stringContaining('a lowercase RFC 1123 subdomain must consist of'),
      },
    ]);
  },

  'makes a name from generateName': async (scope) => {
    const widgets = await define(scope, { spec });
    const post = () =>
      scope.api.post(widgets.list(), { ...widgets.object(''), metadata: { generateName: 'gen-' } });
    const [first, second] = [await post(), await post()];
    expect(first.status).toBe(201);
    expect(first.body.metadata).toMatchObject({
      generateName: 'gen-',
      name: expect.stringMatching(/^gen-[a-z0-9]{5}$/),
    });
    expect(second.body.metadata.name).not.toBe(first.body.metadata.name);
  },

  'persists nothing of a dry run': async (scope) => {
    const widgets = await define(scope, { spec });
    const dry = await widgets.create('a', { spec: { size: 'S' } }, { query: { dryRun: 'All' } });
    expect({ status: dry.status, spec: dry.body.spec }).toEqual({ status: 201, spec: { size: 'S' } });
    expect((await scope.api.get(widgets.path('a'))).status).toBe(404);
    await widgets.make('a', { spec: { size: 'S' } });
    const patched = await scope.api.patch(
      widgets.path('a'),
      'merge',
      { spec: { size: 'M' } },
      { query: { dryRun: 'All' } },
    );
    expect(patched.body.spec).toEqual({ size: 'M' });
    expect((await scope.api.delete(widgets.path('a'), { query: { dryRun: 'All' } })).status).toBe(200);
    expect((await scope.api.get(widgets.path('a'))).body.spec).toEqual({ size: 'S' });
  },

  'answers a deletion with a Status, and with the object while it has finalizers': async (scope) => {
    const widgets = await define(scope, { spec });
    const { metadata } = await widgets.make('a');
    const gone = await scope.api.delete(widgets.path('a'));
    expect(gone).toMatchObject({
      status: 200,
      body: {
        kind: 'Status',
        status: 'Success',
        details: { name: 'a', group: widgets.group, kind: 'widgets', uid: metadata.uid },
      },
    });
    const finalizer = 'example.com/hold';
    await widgets.hold('b', finalizer);
    const held = await scope.api.delete(widgets.path('b'));
    expect(held).toMatchObject({
      status: 200,
      body: {
        kind: 'Widget',
        metadata: { finalizers: [finalizer], deletionTimestamp: expect.any(String), generation: 2 },
      },
    });
    expect((await widgets.merge('b', { spec: { size: 'S' } })).status).toBe(200);
    const added = await widgets.merge('b', { metadata: { finalizers: [finalizer, 'example.com/late'] } });
    expect(added.status).toBe(422);
    expect((await widgets.merge('b', { metadata: { finalizers: null } })).status).toBe(200);
    expect((await scope.api.get(widgets.path('b'))).status).toBe(404);
  },

  'refuses a deletion whose preconditions are not met': async (scope) => {
    const widgets = await define(scope, { spec });
    const { metadata } = await widgets.make('a');
    const remove = (preconditions: Fields) =>
      scope.api.delete(widgets.path('a'), {
        body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions },
      });
    const other = await remove({ uid: '00000000-0000-0000-0000-000000000000' });
    expect(other).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await remove({ resourceVersion: '1' })).status).toBe(409);
    expect((await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).status).toBe(200);
    expect((await scope.api.get(widgets.path('a'))).status).toBe(404);
  },

  'shows an object of a definition without print columns with its name and age': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    const { status, body } = await scope.api.get(widgets.path('a'), { accept: tableOnly });
    const { columnDefinitions, rows } = body as unknown as Table;
    expect({ status, kind: body.kind }).toEqual({ status: 200, kind: 'Table' });
    expect(columnDefinitions).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Age', type: 'date', priority: 0 },
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      cells: ['a', expect.any(String)],
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    });
  },

  'shows print columns by their types, paths and priorities': async (scope) => {
    const column = (name: string, type: string, jsonPath: string, more: Fields = {}): Fields => ({
      name,
      type,
      jsonPath,
      ...more,
    });
    const additionalPrinterColumns = [
      column('Size', 'string', '.spec.size', { description: 'How large it is.' }),
      column('Count', 'integer', '.spec.count', { priority: 1 }),
      column('On', 'boolean', '.spec.on'),
      column('Tags', 'string', '.spec.tags'),
      column('First', 'string', '.spec.tags[0]'),
      column('Owner', 'string', '.metadata.labels.owner'),
      column('Since', 'date', '.metadata.creationTimestamp'),
    ];
    const widgets = await define(scope, { spec, version: { additionalPrinterColumns } });
    await widgets.make(
      'a',
      { spec: { size: 'S', count: 3, on: true, tags: ['x', 'y'] } },
      { labels: { owner: 'me' } },
    );
    await widgets.make('b', { spec: {} });
    const { body } = await scope.api.get(widgets.list(), { accept: tableOnly });
    const { columnDefinitions, rows } = body as unknown as Table;
    expect(columnDefinitions.map(({ name, type, priority }) => [name, type, priority])).toEqual([
      ['Name', 'string', 0],
      ['Size', 'string', 0],
      ['Count', 'integer', 1],
      ['On', 'boolean', 0],
      ['Tags', 'string', 0],
      ['First', 'string', 0],
      ['Owner', 'string', 0],
      ['Since', 'date', 0],
    ]);
    expect(columnDefinitions[1]).toMatchObject({ description: 'How large it is.' });
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', 'S', 3, true, '["x","y"]', 'x', 'me', expect.any(String)],
      ['b', null, null, null, null, null, null, expect.any(String)],
    ]);
  },

  'shows conditions in print columns with a filter in the path': async (scope) => {
    const conditions = { type: 'array', items: objectOf({ type: text, status: text }) };
    const additionalPrinterColumns = [
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    ];
    const widgets = await define(scope, {
      status: objectOf({ conditions }),
      version: { additionalPrinterColumns },
    });
    await widgets.make('a', {
      status: {
        conditions: [
          { type: 'Other', status: 'Unknown' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
    await widgets.make('b', { status: { conditions: [] } });
    const { rows } = (await scope.api.get(widgets.list(), { accept: tableOnly })).body as unknown as Table;
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', 'True'],
      ['b', null],
    ]);
  },

  'answers with the metadata alone when asked for PartialObjectMetadata': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S' } }, { labels: { x: 'y' } });
    const accept = (kind: string): { accept: string } => ({
      accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
    });
    const one = (await scope.api.get(widgets.path('a'), accept('PartialObjectMetadata'))).body;
    expect(one).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', labels: { x: 'y' } },
    });
    expect(one).not.toHaveProperty('spec');
    const list = (await scope.api.get(widgets.list(), accept('PartialObjectMetadataList'))).body;
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'a' } }] });
    expect(list.items[0]).not.toHaveProperty('spec');
  },
};
