import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, asMetadata, asTable, create } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import type { Table } from '../suite/table.js';
import { watching } from '../suite/watching.js';

/** Returns the query of a watch that sends three changes of an object: ADDED, MODIFIED and DELETED. */
async function threeChanges(scope: Scope): Promise<Record<string, string>> {
  const name = scope.name('shape');
  const { metadata } = await create(scope, scope.core('configmaps'), configMap(`${name}-before`));
  await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
  accepted(await scope.api.patch(scope.core('configmaps', name), 'merge', { data: { b: '2' } }));
  accepted(await scope.api.delete(scope.core('configmaps', name)));
  return { resourceVersion: metadata.resourceVersion, fieldSelector: `metadata.name=${name}` };
}

/** Declares the cases about watches of metadata and of tables. */
export function watchShapes(rule: Rule): void {
  rule('sends metadata alone on request', async (scope) => {
    const query = await threeChanges(scope);
    const path = scope.core('configmaps');
    const whole = await (await watching(scope, path, { query })).take(3);
    const events = await (await watching(scope, path, { query, accept: asMetadata })).take(3);
    expect(events).toEqual(
      whole.map(({ type, object: { metadata } }) => ({
        type,
        object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata },
      })),
    );
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  rule('sends tables of one row on request, with the columns in the first alone', async (scope) => {
    const query = await threeChanges(scope);
    const events = await (
      await watching(scope, scope.core('configmaps'), { query, accept: asTable })
    ).take(3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const tables = events.map(({ object }) => object as unknown as Table);
    for (const table of tables) expect(table).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' });
    const columns = tables[0]?.columnDefinitions?.map(({ name }) => name) ?? [];
    expect(columns).toEqual(expect.arrayContaining(['Name', 'Data', 'Age']));
    expect(tables.slice(1).map(({ columnDefinitions }) => columnDefinitions ?? [])).toEqual([[], []]);
    const cells = tables.map(({ rows }) => rows?.map((row) => row.cells[columns.indexOf('Data')]));
    expect(cells).toEqual([[1], [2], [2]]);
    for (const { metadata, rows } of tables) {
      expect(rows?.[0]?.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { resourceVersion: metadata.resourceVersion },
      });
    }
  });

  rule('refuses to watch in a media type that it cannot answer with', async (scope) => {
    const { status, refusal } = await scope.api.watch(scope.core('configmaps'), { accept: 'text/html' });
    expect(status).toBe(406);
    expect(refusal).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
  });
}
