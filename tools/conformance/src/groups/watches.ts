import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, create, createSet, isNewer } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import { outlineOf, watching } from '../suite/watching.js';
import { initialEvents } from './watches-initial.js';
import { watchVersions } from './watches-versions.js';
import { watchSelectors } from './watches-selectors.js';
import { watchShapes } from './watches-shapes.js';

export const watches = defineGroup(
  'watches',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes' },
  (rule) => {
    changes(rule);
    openWatches(rule);
    ends(rule);
    watchVersions(rule);
    initialEvents(rule);
    watchSelectors(rule);
    watchShapes(rule);
  },
);

/** Creates an object, changes it twice and deletes it. @returns the previous resourceVersion, and the path */
async function live(scope: Scope, name: string): Promise<{ resourceVersion: string; fieldSelector: string }> {
  const path = scope.core('configmaps', name);
  const before = await create(scope, scope.core('configmaps'), configMap(`${name}-before`));
  await create(scope, scope.core('configmaps'), configMap(name, { step: '1' }));
  accepted(await scope.api.patch(path, 'merge', { data: { step: '2' } }));
  accepted(await scope.api.patch(path, 'merge', { data: { step: '3' } }));
  accepted(await scope.api.delete(path));
  return { resourceVersion: before.metadata.resourceVersion, fieldSelector: `metadata.name=${name}` };
}

function changes(rule: Rule): void {
  rule('sends the changes of an object after a resourceVersion in their order', async (scope) => {
    const query = await live(scope, scope.name('order'));
    const events = await (await watching(scope, scope.core('configmaps'), { query })).take(4);
    expect(events.map(({ type, object }) => [type, object.data?.['step']])).toEqual([
      ['ADDED', '1'],
      ['MODIFIED', '2'],
      ['MODIFIED', '3'],
      ['DELETED', '3'],
    ]);
    const versions = [query.resourceVersion, ...events.map(({ object }) => object.metadata.resourceVersion)];
    for (const [index, version] of versions.slice(1).entries()) {
      expect(isNewer(version, versions[index] ?? '')).toBe(true);
    }
    for (const { object } of events) expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  rule('resumes after the resourceVersion of any event, without gaps or repetitions', async (scope) => {
    const query = await live(scope, scope.name('resume'));
    const path = scope.core('configmaps');
    const events = await (await watching(scope, path, { query })).take(4);
    for (const index of [0, 1, 2]) {
      const { resourceVersion } = events[index]?.object.metadata ?? {};
      const rest = await watching(scope, path, { query: { ...query, resourceVersion } });
      expect(await rest.take(3 - index)).toEqual(events.slice(index + 1));
    }
  });
}

function openWatches(rule: Rule): void {
  rule('sends changes while the watch is open', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const { metadata } = accepted(
      await scope.api.get(scope.core('configmaps'), { query: { labelSelector } }),
    );
    const query = { labelSelector, resourceVersion: metadata.resourceVersion };
    const watch = await watching(scope, scope.core('configmaps'), { query });
    const name = `${set}-new`;
    const created = await create(scope, scope.core('configmaps'), configMap(name, {}, { labels: { set } }));
    expect(await watch.next()).toEqual({ type: 'ADDED', object: created });
    const path = scope.core('configmaps', objects[0]?.metadata.name);
    const changed = accepted(await scope.api.patch(path, 'merge', { data: { more: 'yes' } }));
    expect(await watch.next()).toEqual({ type: 'MODIFIED', object: changed });
  });

  rule('sends nothing for an update that changes nothing', async (scope) => {
    const path = scope.core('configmaps');
    const object = await create(scope, path, configMap(scope.name('same'), { step: '1' }));
    const { name, resourceVersion } = object.metadata;
    const query = { resourceVersion, fieldSelector: `metadata.name=${name}` };
    const watch = await watching(scope, path, { query });
    const same = accepted(await scope.api.put(scope.core('configmaps', name), object));
    expect(same.metadata.resourceVersion).toBe(resourceVersion);
    accepted(await scope.api.patch(scope.core('configmaps', name), 'merge', { data: { step: '2' } }));
    const event = await watch.next();
    expect([event?.type, event?.object.data]).toEqual(['MODIFIED', { step: '2' }]);
  });

  rule('sends a deletion that waits for finalizers as a change, and its end as DELETED', async (scope) => {
    const path = scope.core('configmaps');
    const finalizers = ['conformance.example/hold'];
    const { metadata } = await create(scope, path, configMap(scope.name('held'), {}, { finalizers }));
    const held = scope.core('configmaps', metadata.name);
    scope.cleanup((api) => api.patch(held, 'merge', { metadata: { finalizers: null } }));
    const fieldSelector = `metadata.name=${metadata.name}`;
    const query = { resourceVersion: metadata.resourceVersion, fieldSelector };
    const watch = await watching(scope, path, { query });
    accepted(await scope.api.delete(held));
    const marked = await watch.next();
    expect(marked?.type).toBe('MODIFIED');
    expect(marked?.object.metadata.deletionTimestamp).toEqual(expect.any(String));
    accepted(await scope.api.patch(held, 'merge', { metadata: { finalizers: null } }));
    const gone = await watch.next();
    expect([gone?.type, gone?.object.metadata.uid]).toEqual(['DELETED', metadata.uid]);
    const { resourceVersion = '' } = gone?.object.metadata ?? {};
    expect(isNewer(resourceVersion, marked?.object.metadata.resourceVersion ?? '')).toBe(true);
  });
}

function ends(rule: Rule): void {
  rule('ends a watch after timeoutSeconds', async (scope) => {
    const query = { fieldSelector: `metadata.name=${scope.name('none')}`, timeoutSeconds: 1 };
    const watch = await watching(scope, scope.core('configmaps'), { query });
    expect(await watch.next()).toBeUndefined();
  });

  rule('watches one namespace or all', async (scope) => {
    const other = await scope.ownNamespace();
    const { labelSelector, objects, names } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const query = { labelSelector, resourceVersion: objects[0]?.metadata.resourceVersion };
    const one = await watching(scope, scope.core('configmaps'), { query });
    const all = await watching(scope, '/api/v1/configmaps', { query });
    const elsewhere = configMap(`${set}-other`, {}, { labels: { set } });
    await create(scope, `/api/v1/namespaces/${other}/configmaps`, elsewhere);
    accepted(await scope.api.delete(scope.core('configmaps', names[0])));
    expect(outlineOf(await one.take(1))).toEqual([['DELETED', names[0]]]);
    expect(outlineOf(await all.take(2))).toEqual([
      ['ADDED', `${set}-other`],
      ['DELETED', names[0]],
    ]);
  });

  rule('answers a request for one object with the object although watch is set', async (scope) => {
    const { names } = await createSet(scope, [{}]);
    const answer = await scope.api.get(scope.core('configmaps', names[0]), { query: { watch: true } });
    expect(accepted(answer)).toMatchObject({ kind: 'ConfigMap', metadata: { name: names[0] } });
  });

  rule('refuses to watch a resource that it does not serve', async (scope) => {
    const { status, refusal } = await scope.api.watch(scope.core('unknowns'));
    expect(status).toBe(404);
    expect(refusal).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });
}
