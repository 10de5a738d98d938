import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, create } from '../suite/reading.js';
import { outlineOf, watching } from '../suite/watching.js';

/** Declares the cases about label and field selectors of watches. */
export function watchSelectors(rule: Rule): void {
  labels(rule);
  negativeLabels(rule);
  fields(rule);
}

function labels(rule: Rule): void {
  rule('sends an object that leaves the selected set as DELETED in its last state there', async (scope) => {
    const name = scope.name('leaving');
    const collection = scope.core('configmaps');
    const path = scope.core('configmaps', name);
    const before = await create(scope, collection, configMap(`${name}-before`));
    await create(scope, collection, configMap(name, { step: '1' }, { labels: { stage: name } }));
    const inside = accepted(await scope.api.patch(path, 'merge', { data: { step: '2' } }));
    const left = { metadata: { labels: { stage: 'left' } }, data: { step: '3' } };
    const outside = accepted(await scope.api.patch(path, 'merge', left));
    const { resourceVersion } = before.metadata;
    const query = { resourceVersion, labelSelector: `stage=${name}` };
    const events = await (await watching(scope, collection, { query })).take(3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(events[1]?.object).toEqual(inside);
    expect(events[2]?.object).toMatchObject({
      metadata: {
        uid: inside.metadata.uid,
        labels: { stage: name },
        resourceVersion: outside.metadata.resourceVersion,
      },
      data: { step: '2' },
    });
  });

  rule(
    'sends an object that enters the selected set as ADDED, and nothing while it is outside',
    async (scope) => {
      const name = scope.name('entering');
      const collection = scope.core('configmaps');
      const path = scope.core('configmaps', name);
      const stage = (value: string | null): object => ({ metadata: { labels: { stage: value } } });
      const created = await create(scope, collection, configMap(name, { step: '1' }));
      const query = { resourceVersion: created.metadata.resourceVersion, labelSelector: `stage=${name}` };
      const watch = await watching(scope, collection, { query });
      accepted(await scope.api.patch(path, 'merge', { data: { step: '2' } }));
      const entered = accepted(await scope.api.patch(path, 'merge', stage(name)));
      expect(await watch.next()).toEqual({ type: 'ADDED', object: entered });
      accepted(await scope.api.patch(path, 'merge', stage(null)));
      accepted(await scope.api.patch(path, 'merge', { data: { step: '3' } }));
      accepted(await scope.api.delete(path));
      const again = configMap(name, { step: '4' }, { labels: { stage: name } });
      const second = await create(scope, collection, again);
      expect((await watch.next())?.type).toBe('DELETED');
      expect(await watch.next()).toEqual({ type: 'ADDED', object: second });
    },
  );
}

function negativeLabels(rule: Rule): void {
  rule('applies negative label selectors to objects without the label', async (scope) => {
    const name = scope.name('negative');
    const collection = scope.core('configmaps');
    const labels = { set: name };
    const created = await create(scope, collection, configMap(name, {}, { labels }));
    const query = { resourceVersion: created.metadata.resourceVersion, labelSelector: `set=${name},!done` };
    const watch = await watching(scope, collection, { query });
    const done = { metadata: { labels: { done: 'yes' } } };
    accepted(await scope.api.patch(scope.core('configmaps', name), 'merge', done));
    accepted(await scope.api.delete(scope.core('configmaps', name)));
    await create(scope, collection, configMap(`${name}-next`, {}, { labels }));
    expect(outlineOf(await watch.take(2))).toEqual([
      ['DELETED', name],
      ['ADDED', `${name}-next`],
    ]);
  });
}

function fields(rule: Rule): void {
  rule('watches one object by metadata.name', async (scope) => {
    const name = scope.name('single');
    const collection = scope.core('configmaps');
    const before = await create(scope, collection, configMap(`${name}-other`, { step: '1' }));
    const { resourceVersion } = before.metadata;
    const query = { resourceVersion, fieldSelector: `metadata.name=${name}` };
    const watch = await watching(scope, collection, { query });
    accepted(
      await scope.api.patch(scope.core('configmaps', `${name}-other`), 'merge', { data: { step: '2' } }),
    );
    await create(scope, collection, configMap(name));
    accepted(await scope.api.delete(scope.core('configmaps', `${name}-other`)));
    accepted(await scope.api.delete(scope.core('configmaps', name)));
    expect(outlineOf(await watch.take(2))).toEqual([
      ['ADDED', name],
      ['DELETED', name],
    ]);
  });

  rule('sends an object that leaves the set of a field selector as DELETED', async (scope) => {
    const name = scope.name('field');
    const collection = scope.core('events');
    const about = { kind: 'ConfigMap', namespace: scope.namespace, name };
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name }, involvedObject: about };
    const { metadata } = await create(scope, collection, { ...event, type: 'Normal', reason: 'First' });
    const fieldSelector = `involvedObject.name=${name},type=Warning`;
    const query = { resourceVersion: metadata.resourceVersion, fieldSelector };
    const watch = await watching(scope, collection, { query });
    for (const type of ['Warning', 'Normal']) {
      accepted(await scope.api.patch(scope.core('events', name), 'merge', { type }));
    }
    expect(outlineOf(await watch.take(2))).toEqual([
      ['ADDED', name],
      ['DELETED', name],
    ]);
  });

  rule('refuses selectors of watches that it refuses for lists', async (scope) => {
    for (const query of [
      { labelSelector: 'a===b' },
      { fieldSelector: 'data.key=a' },
      { fieldSelector: 'a' },
    ]) {
      const { status, refusal } = await scope.api.watch(scope.core('configmaps'), { query });
      expect([query, status]).toEqual([query, 400]);
      expect(refusal).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
  });
}
