import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted, create, createSet, namesOf } from '../suite/reading.js';

/** Declares the cases about the deletion of collections. */
export function deleteCollections(rule: Rule): void {
  selected(rule);
  kept(rule);
}

function selected(rule: Rule): void {
  rule('deletes the objects that a label selector selects and answers with them', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [
      { gone: 'yes' },
      { gone: 'yes' },
      { gone: 'no' },
    ]);
    const path = scope.core('configmaps');
    const query = { labelSelector: `${labelSelector},gone=yes` };
    const answer = accepted(await scope.api.delete(path, { query }));
    expect(answer.kind).toBe('ConfigMapList');
    expect(namesOf(answer).sort()).toEqual(names.slice(0, 2));
    expect(namesOf(accepted(await scope.api.get(path, { query: { labelSelector } })))).toEqual([names[2]]);
  });

  rule('deletes the objects that a field selector selects', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}]);
    const path = scope.core('configmaps');
    accepted(await scope.api.delete(path, { query: { fieldSelector: `metadata.name=${names[0]}` } }));
    expect(namesOf(accepted(await scope.api.get(path, { query: { labelSelector } })))).toEqual([names[1]]);
  });

  rule('deletes a whole collection of one namespace without selectors', async (scope) => {
    const namespaces = [await scope.ownNamespace(), await scope.ownNamespace()];
    const leases = (namespace: string | undefined): string =>
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    for (const namespace of namespaces) {
      for (const name of ['a', 'b']) {
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } };
        await create(scope, leases(namespace), lease);
      }
    }
    accepted(await scope.api.delete(leases(namespaces[0])));
    expect(accepted(await scope.api.get(leases(namespaces[0]))).items).toEqual([]);
    expect(namesOf(accepted(await scope.api.get(leases(namespaces[1])))).sort()).toEqual(['a', 'b']);
  });
}

function kept(rule: Rule): void {
  rule('deletes nothing of a collection in a dry run', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}]);
    const path = scope.core('configmaps');
    const dry = accepted(await scope.api.delete(path, { query: { labelSelector, dryRun: 'All' } }));
    expect(namesOf(dry).sort()).toEqual(names);
    const after = accepted(await scope.api.get(path, { query: { labelSelector } }));
    expect(namesOf(after).sort()).toEqual(names);
    expect(after.items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
  });

  rule('marks objects of a deleted collection that have finalizers', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}]);
    const path = scope.core('configmaps');
    const held = scope.core('configmaps', names[0]);
    const finalizers = { metadata: { finalizers: ['conformance.example/hold'] } };
    accepted(await scope.api.patch(held, 'merge', finalizers));
    scope.cleanup((api) => api.patch(held, 'merge', { metadata: { finalizers: null } }));
    accepted(await scope.api.delete(path, { query: { labelSelector } }));
    const { items } = accepted(await scope.api.get(path, { query: { labelSelector } }));
    expect(items.map(({ metadata }) => metadata.name)).toEqual([names[0]]);
    expect(items[0]?.metadata.deletionTimestamp).toEqual(expect.any(String));
  });

  rule('deletes nothing of a collection when it refuses the selector', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}]);
    const path = scope.core('configmaps');
    for (const query of [
      { labelSelector: `${labelSelector},a===b` },
      { labelSelector, fieldSelector: 'data.key=value' },
    ]) {
      const refused = await scope.api.delete(path, { query });
      expect(refused.status).toBe(400);
      expect(refused.body.reason).toBe('BadRequest');
    }
    expect(namesOf(accepted(await scope.api.get(path, { query: { labelSelector } })))).toEqual(names);
  });
}
