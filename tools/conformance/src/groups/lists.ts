import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import type { CallOptions } from '../suite/api.js';
import type { Body } from '../suite/body.js';
import { accepted, create, createSet, namesOf } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import { deleteCollections } from './lists-delete.js';
import { selectors } from './lists-selectors.js';
import { shapes } from './lists-shapes.js';
import { versions } from './lists-versions.js';

export const lists = defineGroup(
  'lists',
  {
    source:
      'https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks',
  },
  (rule) => {
    pages(rule);
    limits(rule);
    continueTokens(rule);
    versions(rule);
    selectors(rule);
    shapes(rule);
    deleteCollections(rule);
  },
);

const five = [{}, {}, {}, {}, {}];

function pages(rule: Rule): void {
  rule('lists objects in pages with limit and continue', async (scope) => {
    const { labelSelector, names } = await createSet(scope, five);
    const found = await allPages(scope, scope.core('configmaps'), { labelSelector, limit: 2 });
    for (const { items } of found) expect(items.length).toBeLessThanOrEqual(2);
    expect(found.flatMap(namesOf).sort()).toEqual(names);
    expect(
      accepted(await scope.api.get(scope.core('configmaps'), { query: { labelSelector } })).metadata
        .continue ?? '',
    ).toBe('');
  });

  rule('continues a list in the state of its first page', async (scope) => {
    const { labelSelector, names } = await createSet(scope, five);
    const path = scope.core('configmaps');
    const query = { labelSelector, limit: 2 };
    const first = accepted(await scope.api.get(path, { query }));
    accepted(await scope.api.delete(scope.core('configmaps', names[4])));
    const [, set = ''] = labelSelector.split('=');
    await create(scope, path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${set}-9`, labels: { set } },
    });
    const rest = await allPages(scope, path, query, first);
    expect(rest.flatMap(namesOf).sort()).toEqual(names);
    for (const page of rest) expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const now = accepted(await scope.api.get(path, { query: { labelSelector } }));
    expect(namesOf(now).sort()).toEqual([...names.slice(0, 4), `${set}-9`]);
  });

  rule('continues a list with another limit, and without one', async (scope) => {
    const { labelSelector, names } = await createSet(scope, five);
    const path = scope.core('configmaps');
    const first = accepted(await scope.api.get(path, { query: { labelSelector, limit: 1 } }));
    expect(first.items).toHaveLength(1);
    for (const limit of [10, undefined]) {
      const query = { labelSelector, limit, continue: first.metadata.continue };
      const rest = accepted(await scope.api.get(path, { query }));
      expect([...namesOf(first), ...namesOf(rest)].sort()).toEqual(names);
      expect(rest.metadata.continue ?? '').toBe('');
    }
  });
}

function limits(rule: Rule): void {
  rule('counts the remaining items of a page unless the list has selectors', async (scope) => {
    const namespace = await scope.ownNamespace();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const metadata = { name, labels: { counted: 'yes' } };
      await create(scope, path, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
    }
    const found = await allPages(scope, path, { limit: 2 });
    expect(found.map(({ metadata }) => metadata.remainingItemCount)).toEqual([3, 1, undefined]);
    const selected = accepted(await scope.api.get(path, { query: { limit: 2, labelSelector: 'counted' } }));
    expect(selected.metadata.continue).toEqual(expect.any(String));
    expect(selected.metadata.remainingItemCount).toBeUndefined();
  });

  rule('lists everything when the limit is 0', async (scope) => {
    const { labelSelector, names } = await createSet(scope, five);
    const query = { labelSelector, limit: 0 };
    const body = accepted(await scope.api.get(scope.core('configmaps'), { query }));
    expect(namesOf(body).sort()).toEqual(names);
    expect(body.metadata.continue ?? '').toBe('');
  });
}

function continueTokens(rule: Rule): void {
  rule('refuses a continue token that it did not issue', async (scope) => {
    const { labelSelector } = await createSet(scope, five);
    for (const token of ['abc', '!', Buffer.from('{}').toString('base64url')]) {
      const query = { labelSelector, limit: 2, continue: token };
      const { status, body } = await scope.api.get(scope.core('configmaps'), { query });
      expect(status).toBe(400);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
      expect(body.message).toContain('continue key is not valid');
    }
  });

  rule('refuses a resourceVersion together with a continue token', async (scope) => {
    const { labelSelector } = await createSet(scope, five);
    const path = scope.core('configmaps');
    const first = accepted(await scope.api.get(path, { query: { labelSelector, limit: 2 } }));
    const { resourceVersion } = first.metadata;
    const query = { labelSelector, limit: 2, continue: first.metadata.continue };
    const { status, body } = await scope.api.get(path, { query: { ...query, resourceVersion } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
    expect((await scope.api.get(path, { query })).status).toBe(200);
  });

  rule('refuses a limit that is not a number', async (scope) => {
    const path = scope.core('configmaps');
    const { status, body } = await scope.api.get(path, { query: { limit: 'many' } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    expect((await scope.api.get(path, { query: { limit: 1 } })).status).toBe(200);
  });
}

/** Returns the pages of a list, by default from the first page. */
async function allPages(
  { api }: Scope,
  path: string,
  query: CallOptions['query'],
  first?: Body,
): Promise<Body[]> {
  const found = [first ?? accepted(await api.get(path, { query: { ...query } }))];
  for (;;) {
    const token = found.at(-1)?.metadata.continue ?? '';
    if (token === '') return found;
    found.push(accepted(await api.get(path, { query: { ...query, continue: token } })));
  }
}
