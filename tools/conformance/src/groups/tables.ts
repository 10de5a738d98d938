import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, asTable, create, createSet } from '../suite/reading.js';
import type { Table } from '../suite/table.js';
import { columns } from './tables-columns.js';

export const tables = defineGroup(
  'tables',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables' },
  (rule) => {
    columns(rule);
    includedObjects(rule);
    requests(rule);
    negotiation(rule);
  },
);

function includedObjects(rule: Rule): void {
  rule('includes the metadata of each object in its row by default', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}, {}]);
    for (const includeObject of [undefined, 'Metadata']) {
      const query = { labelSelector, includeObject };
      const { rows } = tableOf(await scope.api.get(scope.core('configmaps'), { query, accept: asTable }));
      expect(rows).toHaveLength(2);
      for (const { metadata } of objects) {
        expect(rows?.map(({ object }) => object)).toContainEqual({
          apiVersion: 'meta.k8s.io/v1',
          kind: 'PartialObjectMetadata',
          metadata,
        });
      }
    }
  });

  rule('includes whole objects or none on request', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}, {}]);
    const get = async (includeObject: string): Promise<Table> =>
      tableOf(
        await scope.api.get(scope.core('configmaps'), {
          query: { labelSelector, includeObject },
          accept: asTable,
        }),
      );
    const whole = await get('Object');
    expect(whole.rows?.map(({ object }) => object)).toEqual(expect.arrayContaining(objects));
    expect(whole.rows).toHaveLength(2);
    const none = await get('None');
    expect(none.rows?.map(({ object }) => object ?? null)).toEqual([null, null]);
    expect(none.rows?.map(({ cells }) => cells.length)).toEqual([
      none.columnDefinitions.length,
      none.columnDefinitions.length,
    ]);
  });

  rule('refuses to include what it does not know', async (scope) => {
    const { names } = await createSet(scope, [{}]);
    for (const path of [scope.core('configmaps'), scope.core('configmaps', names[0])]) {
      const refused = await scope.api.get(path, { query: { includeObject: 'Spec' }, accept: asTable });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
  });
}

function requests(rule: Rule): void {
  rule('answers with a table of one row for one object', async (scope) => {
    const { names, objects } = await createSet(scope, [{}]);
    const table = tableOf(await scope.api.get(scope.core('configmaps', names[0]), { accept: asTable }));
    expect(table.metadata.resourceVersion).toBe(objects[0]?.metadata.resourceVersion);
    expect(table.rows?.map(({ cells }) => cells[0])).toEqual(names);
  });

  rule('answers with a table of the object that a request creates or changes', async (scope) => {
    const name = scope.name('written');
    const path = scope.core('configmaps', name);
    const created = await scope.api.post(scope.core('configmaps'), configMap(name), { accept: asTable });
    expect(tableOf(created, 201).rows?.[0]?.cells.slice(0, 2)).toEqual([name, 0]);
    const patched = await scope.api.patch(path, 'merge', { data: { a: '1', b: '2' } }, { accept: asTable });
    expect(tableOf(patched).rows?.[0]?.cells.slice(0, 2)).toEqual([name, 2]);
    const stored = accepted(await scope.api.get(path));
    expect(tableOf(patched).metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
  });

  rule('pages tables as it pages lists', async (scope) => {
    const namespace = await scope.ownNamespace();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    for (const name of ['a', 'b', 'c']) {
      await create(scope, path, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
    }
    const first = tableOf(await scope.api.get(path, { query: { limit: 2 }, accept: asTable }));
    expect(first.rows?.map(({ cells }) => cells[0])).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(1);
    const query = { limit: 2, continue: first.metadata.continue };
    const second = tableOf(await scope.api.get(path, { query, accept: asTable }));
    expect(second.rows?.map(({ cells }) => cells[0])).toEqual(['c']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(second.metadata.continue ?? '').toBe('');
  });

  rule('answers with the columns alone when a list is empty', async (scope) => {
    const query = { labelSelector: `set=${scope.name('nothing')}` };
    const table = tableOf(await scope.api.get(scope.core('configmaps'), { query, accept: asTable }));
    expect(table.columnDefinitions.map(({ name }) => name)).toContain('Name');
    expect(table.rows ?? []).toEqual([]);
    expect(table.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  rule('answers with a Status, not with a table, when a request fails', async (scope) => {
    const name = scope.name('absent');
    const { status, body } = await scope.api.get(scope.core('configmaps', name), { accept: asTable });
    expect(status).toBe(404);
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound', details: { name, kind: 'configmaps' } });
  });
}

function negotiation(rule: Rule): void {
  const unknownVersion = 'application/json;as=Table;v=v99;g=meta.k8s.io';
  const unknownKind = 'application/json;as=Diagram;v=v1;g=meta.k8s.io';

  rule('answers with the first media type of several that it knows', async (scope) => {
    const path = scope.core('configmaps');
    for (const [accept, kind] of [
      [`${asTable},application/json`, 'Table'],
      [`${unknownVersion},${asTable},application/json`, 'Table'],
      [`${unknownVersion},application/json`, 'ConfigMapList'],
      [`${unknownKind},application/json`, 'ConfigMapList'],
      [`application/json,${asTable}`, 'ConfigMapList'],
    ] as const) {
      const body = accepted(await scope.api.get(path, { accept, query: { limit: 1 } }));
      expect([accept, body.kind]).toEqual([accept, kind]);
    }
  });

  rule('refuses transformations that it does not know', async (scope) => {
    for (const accept of [unknownVersion, unknownKind, `${unknownVersion},${unknownKind}`]) {
      const { status, body } = await scope.api.get(scope.core('configmaps'), { accept });
      expect([accept, status]).toEqual([accept, 406]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
    }
  });
}

function tableOf(answer: Parameters<typeof accepted>[0], status?: number): Table {
  const body = accepted(answer, status);
  expect(body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' });
  return body as unknown as Table;
}
