import { expect } from 'expect';
import type { Watch } from '../../suite/watch.js';
import type { Scope } from '../../suite/scope.js';
import { define, objectOf, text, whole, type Cases, type Fields, type Widgets } from './definition.js';
import { watchableFrom } from './watchable.js';

const spec = objectOf({ size: text, count: whole, on: { type: 'boolean' } });

/** Returns the names of the objects in a list. */
async function namesIn(
  scope: Scope,
  widgets: Widgets,
  query: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { body } = await scope.api.get(widgets.list(), { query });
  return body.items.map(({ metadata }) => metadata.name).sort();
}

/** Rules about lists and watches. */
export const collectionCases: Cases = {
  'lists objects with the kind of the definition and a resourceVersion': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', { spec: { size: 'S' } });
    const { status, body } = await scope.api.get(widgets.list());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'WidgetList',
      apiVersion: `${widgets.group}/v1`,
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(body.items).toMatchObject([
      { kind: 'Widget', apiVersion: `${widgets.group}/v1`, metadata: { name: 'a' }, spec: { size: 'S' } },
    ]);
  },

  'lists objects by labels': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', {}, { labels: { tier: 'web', env: 'dev' } });
    await widgets.make('b', {}, { labels: { tier: 'web' } });
    await widgets.make('c');
    expect(await namesIn(scope, widgets, { labelSelector: 'tier=web' })).toEqual(['a', 'b']);
    expect(await namesIn(scope, widgets, { labelSelector: 'tier=web,env!=dev' })).toEqual(['b']);
    expect(await namesIn(scope, widgets, { labelSelector: '!tier' })).toEqual(['c']);
    expect(await namesIn(scope, widgets, { labelSelector: 'env in (dev, test)' })).toEqual(['a']);
  },

  'lists objects by name with a field selector': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    await widgets.make('b');
    expect(await namesIn(scope, widgets, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
    expect(await namesIn(scope, widgets, { fieldSelector: 'metadata.name!=b' })).toEqual(['a']);
    const other = await scope.api.get(widgets.list(), { query: { fieldSelector: 'spec.size=S' } });
    expect(other).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(other.body.message).toContain('field label not supported: spec.size');
  },

  'lists objects by the selectable fields of the definition': async (scope) => {
    const selectableFields = ['.spec.size', '.spec.count', '.spec.on'].map((jsonPath) => ({ jsonPath }));
    const widgets = await define(scope, { spec, version: { selectableFields } });
    await widgets.make('a', { spec: { size: 'S', count: 1, on: true } });
    await widgets.make('b', { spec: { size: 'M', count: 1 } });
    expect(await namesIn(scope, widgets, { fieldSelector: 'spec.size=S' })).toEqual(['a']);
    expect(await namesIn(scope, widgets, { fieldSelector: 'spec.count=1,spec.size!=S' })).toEqual(['b']);
    expect(await namesIn(scope, widgets, { fieldSelector: 'spec.on=true' })).toEqual(['a']);
    expect(await namesIn(scope, widgets, { fieldSelector: 'spec.size=' })).toEqual([]);
  },

  'lists objects in pages with limit and continue': async (scope) => {
    const widgets = await define(scope, { spec });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await widgets.make(name);
    const names: string[] = [];
    const rest: unknown[] = [];
    let next: string | undefined;
    do {
      const { body } = await scope.api.get(widgets.list(), { query: { limit: 2, continue: next } });
      names.push(...body.items.map(({ metadata }) => metadata.name));
      rest.push(body.metadata.remainingItemCount);
      next = body.metadata.continue;
    } while (next !== undefined && next !== '');
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(rest).toEqual([3, 1, undefined]);
  },

  'deletes a collection by labels': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a', {}, { labels: { tier: 'web' } });
    await widgets.make('b');
    const { status, body } = await scope.api.delete(widgets.list(), { query: { labelSelector: 'tier=web' } });
    expect({ status, kind: body.kind }).toEqual({ status: 200, kind: 'WidgetList' });
    expect(await namesIn(scope, widgets, {})).toEqual(['b']);
  },

  'watches the creation, change and deletion of objects': async (scope) => {
    const widgets = await define(scope, { spec });
    const resourceVersion = await watchableFrom(scope, widgets);
    const events = await scope.api.watch(widgets.list(), { query: { resourceVersion } });
    await widgets.make('a', { spec: { size: 'S' } });
    await widgets.merge('a', { spec: { size: 'M' } });
    await scope.api.delete(widgets.path('a'));
    const seen = await events.take(3);
    events.close();
    expect(seen.map(({ type, object }) => [type, object.metadata.name, object.spec?.['size']])).toEqual([
      ['ADDED', 'a', 'S'],
      ['MODIFIED', 'a', 'M'],
      ['DELETED', 'a', 'M'],
    ]);
    expect(seen[0]?.object).toMatchObject({ kind: 'Widget', apiVersion: `${widgets.group}/v1` });
  },

  'reports objects that enter and leave a selected set as ADDED and DELETED': async (scope) => {
    const selectableFields = [{ jsonPath: '.spec.size' }];
    const widgets = await define(scope, { spec, version: { selectableFields } });
    const resourceVersion = await watchableFrom(scope, widgets);
    const change = async (fields: Fields): Promise<void> => {
      expect((await widgets.merge('a', fields)).status).toBe(200);
    };
    const byLabel = await scope.api.watch(widgets.list(), {
      query: { resourceVersion, labelSelector: 'x=y' },
    });
    const byField = await scope.api.watch(widgets.list(), {
      query: { resourceVersion, fieldSelector: 'spec.size=M' },
    });
    await widgets.make('a', { spec: { size: 'S' } });
    await change({ metadata: { labels: { x: 'y' } } });
    await change({ spec: { size: 'M' } });
    await change({ metadata: { labels: { x: null } } });
    await change({ spec: { size: 'L' } });
    const types = async (events: Watch, count: number): Promise<string[]> =>
      (await events.take(count)).map(({ type }) => type);
    expect(await types(byLabel, 3)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(await types(byField, 3)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    byLabel.close();
    byField.close();
  },

  'lists the objects of a cluster-scoped definition without a namespace': async (scope) => {
    const widgets = await define(scope, { spec, more: { scope: 'Cluster' } });
    const body = await widgets.make('a', { spec: { size: 'S' } });
    expect(body.metadata).not.toHaveProperty('namespace');
    expect(await namesIn(scope, widgets, {})).toEqual(['a']);
    const namespaced = await scope.api.get(`/apis/${widgets.group}/v1/namespaces/${scope.namespace}/widgets`);
    expect(namespaced.status).toBe(404);
  },

  'lists the objects of all namespaces': async (scope) => {
    const widgets = await define(scope, { spec });
    await widgets.make('a');
    const { status, body } = await scope.api.get(`/apis/${widgets.group}/v1/widgets`);
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ metadata: { name: 'a', namespace: scope.namespace } }]);
    expect((await scope.api.post(`/apis/${widgets.group}/v1/widgets`, widgets.object('b'))).status).toBe(404);
  },
};

/** Rules about streaming lists; the storage of the server must report its progress, as etcd does from 3.4.25 on. */
export const watchListCases: Cases = {
  'streams the stored objects and a bookmark with sendInitialEvents': async (scope) => {
    const widgets = await define(scope, { spec });
    await watchableFrom(scope, widgets);
    await widgets.make('a');
    await widgets.make('b');
    const events = await scope.api.watch(widgets.list(), {
      query: { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' },
    });
    expect(events.status).toBe(200);
    const seen = await events.until(({ type }) => type === 'BOOKMARK');
    expect(
      seen
        .slice(0, -1)
        .map(({ type, object }) => [type, object.metadata.name])
        .sort(),
    ).toEqual([
      ['ADDED', 'a'],
      ['ADDED', 'b'],
    ]);
    expect(seen.at(-1)?.object).toMatchObject({
      kind: 'Widget',
      apiVersion: `${widgets.group}/v1`,
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    await widgets.make('c');
    expect(await events.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'c' } } });
    events.close();
  },
};
