import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import {
  accepted,
  asMetadata,
  asTable,
  causeFieldsOf,
  create,
  createSet,
  isNewer,
} from '../suite/reading.js';
import type { Body } from '../suite/body.js';
import { initialEventsEnd, outlineOf, watching } from '../suite/watching.js';

const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
const streaming = { ...initial, allowWatchBookmarks: true };

/** Declares the cases about streaming lists (KEP-3157). */
export function initialEvents(rule: Rule): void {
  bookmarks(rule);
  variants(rule);
  refusals(rule);
}

function bookmarks(rule: Rule): void {
  rule('ends the initial events of a watch with an annotated bookmark', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}, {}, {}]);
    const path = scope.core('configmaps');
    for (const resourceVersion of [undefined, objects[2]?.metadata.resourceVersion, '0']) {
      const query = { ...streaming, labelSelector, resourceVersion };
      const watch = await watching(scope, path, { query });
      const events = await watch.until(({ type }) => type === 'BOOKMARK');
      const end = events.pop()?.object;
      expect(end).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(end?.metadata.annotations?.[initialEventsEnd]).toBe('true');
      if (resourceVersion === '0') continue;
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED']);
      expect(events.map(({ object }) => object)).toEqual(expect.arrayContaining(objects));
      for (const { metadata } of objects) {
        expect(isNewer(metadata.resourceVersion, end?.metadata.resourceVersion ?? '')).toBe(false);
      }
    }
  });

  rule('sends the bookmark at once when there are no initial events', async (scope) => {
    const query = { ...streaming, labelSelector: `set=${scope.name('empty')}` };
    const event = await (await watching(scope, scope.core('configmaps'), { query })).next();
    expect([event?.type, event?.object.metadata.annotations?.[initialEventsEnd]]).toEqual([
      'BOOKMARK',
      'true',
    ]);
  });

  rule('sends changes after the initial events, and resumes from their bookmark', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const path = scope.core('configmaps');
    const watch = await watching(scope, path, { query: { ...streaming, labelSelector } });
    const [, bookmark] = await watch.take(2);
    const created = await create(scope, path, configMap(`${set}-new`, {}, { labels: { set } }));
    accepted(await scope.api.delete(scope.core('configmaps', names[0])));
    const { resourceVersion = '' } = bookmark?.object.metadata ?? {};
    expect(isNewer(created.metadata.resourceVersion, resourceVersion)).toBe(true);
    const expected = [
      ['ADDED', `${set}-new`],
      ['DELETED', names[0]],
    ];
    const changes = await watch.until(({ type }) => type === 'DELETED');
    expect(outlineOf(changes.filter(({ type }) => type !== 'BOOKMARK'))).toEqual(expected);
    const resumed = await watching(scope, path, { query: { labelSelector, resourceVersion } });
    expect(outlineOf(await resumed.take(2))).toEqual(expected);
  });
}

function variants(rule: Rule): void {
  rule('sends initial events without a bookmark unless bookmarks are allowed', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const path = scope.core('configmaps');
    const watch = await watching(scope, path, { query: { ...initial, labelSelector } });
    expect(outlineOf(await watch.take(1))).toEqual([['ADDED', names[0]]]);
    await create(scope, path, configMap(`${set}-new`, {}, { labels: { set } }));
    expect(outlineOf(await watch.take(1))).toEqual([['ADDED', `${set}-new`]]);
  });

  rule('begins with the next change when sendInitialEvents is false', async (scope) => {
    const { labelSelector } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const path = scope.core('configmaps');
    const query = { ...initial, sendInitialEvents: false, labelSelector };
    const watch = await watching(scope, path, { query });
    await create(scope, path, configMap(`${set}-new`, {}, { labels: { set } }));
    expect(outlineOf(await watch.take(1))).toEqual([['ADDED', `${set}-new`]]);
  });

  rule('transforms the bookmark of initial events as it does the objects', async (scope) => {
    const { labelSelector } = await createSet(scope, [{}]);
    const query = { ...streaming, labelSelector };
    const path = scope.core('configmaps');
    const metadata = await (await watching(scope, path, { query, accept: asMetadata })).take(2);
    for (const { object } of metadata) {
      expect(object).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
    }
    expect(metadata[1]?.type).toBe('BOOKMARK');
    expect(metadata[1]?.object.metadata.annotations?.[initialEventsEnd]).toBe('true');
    const tables = await (await watching(scope, path, { query, accept: asTable })).take(2);
    for (const { object } of tables)
      expect(object).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' });
    expect(tables[1]?.type).toBe('BOOKMARK');
    const [row] = tables[1]?.object['rows'] as { object: Body }[];
    expect(row?.object.metadata.annotations?.[initialEventsEnd]).toBe('true');
  });

  rule('reports a resourceVersion that initial events do not reach as an error', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}]);
    const future = BigInt(objects[0]?.metadata.resourceVersion ?? '') + 1_000_000_000n;
    const query = { ...streaming, labelSelector, resourceVersion: String(future) };
    const event = await (await watching(scope, scope.core('configmaps'), { query })).next();
    expect(event?.type).toBe('ERROR');
    expect(event?.object).toMatchObject({ kind: 'Status', reason: 'Timeout', code: 504 });
    expect(event?.object.details?.causes).toEqual([
      expect.objectContaining({ reason: 'ResourceVersionTooLarge' }),
    ]);
  });
}

function refusals(rule: Rule): void {
  rule(
    'refuses initial events without NotOlderThan, and a resourceVersionMatch without them',
    async (scope) => {
      for (const query of [
        { sendInitialEvents: true },
        { sendInitialEvents: false },
        { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersion: '0' },
        { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: '1' },
        { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
        { resourceVersionMatch: 'Exact', resourceVersion: '1' },
      ]) {
        const { status, refusal } = await scope.api.watch(scope.core('configmaps'), { query });
        expect([query, status]).toEqual([query, 422]);
        expect(refusal).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
        expect(refusal?.details).toMatchObject({ group: 'meta.k8s.io', kind: 'ListOptions' });
        const fields = causeFieldsOf(refusal ?? ({} as Body));
        expect(new Set(fields)).toEqual(new Set(['resourceVersionMatch']));
      }
    },
  );
}
