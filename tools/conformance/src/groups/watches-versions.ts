import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { create, createSet } from '../suite/reading.js';
import { outlineOf, watching } from '../suite/watching.js';

/** Declares the cases about the resourceVersion with which a watch begins. */
export function watchVersions(rule: Rule): void {
  rule('begins without a resourceVersion with the present objects as ADDED', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}, {}]);
    const [, set = ''] = labelSelector.split('=');
    const watch = await watching(scope, scope.core('configmaps'), { query: { labelSelector } });
    const present = await watch.take(2);
    expect(present.map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
    expect(present.map(({ object }) => object)).toEqual(expect.arrayContaining(objects));
    await create(scope, scope.core('configmaps'), configMap(`${set}-new`, {}, { labels: { set } }));
    expect(outlineOf(await watch.take(1))).toEqual([['ADDED', `${set}-new`]]);
  });

  rule('begins with the resourceVersion 0 with any state that it has as ADDED', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}]);
    const query = { labelSelector, resourceVersion: '0' };
    const present = outlineOf(await (await watching(scope, scope.core('configmaps'), { query })).take(2));
    expect(present.sort()).toEqual(names.map((name) => ['ADDED', name]));
  });

  rule('sends nothing that is older than a resourceVersion that it has not reached', async (scope) => {
    const { labelSelector, objects } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    const future = BigInt(objects[0]?.metadata.resourceVersion ?? '') + 1_000_000_000n;
    const query = { labelSelector, resourceVersion: String(future), timeoutSeconds: 1 };
    const watch = await scope.api.watch(scope.core('configmaps'), { query });
    await create(scope, scope.core('configmaps'), configMap(`${set}-new`, {}, { labels: { set } }));
    expect(watch.status).toBe(200);
    /* The server waits for the version until the watch ends, or reports that it is too large. */
    const event = await watch.next();
    expect(['ERROR', undefined]).toContain(event?.type);
  });

  rule('replays the changes since an old resourceVersion, or reports that it has expired', async (scope) => {
    const { names, objects } = await createSet(scope, [{}]);
    const query = { resourceVersion: '1', fieldSelector: `metadata.name=${names[0]}` };
    const watch = await scope.api.watch(scope.core('configmaps'), { query });
    scope.cleanup(() => Promise.resolve(watch.close()));
    const first = watch.status === 200 ? await watch.next() : { type: 'ERROR', object: watch.refusal };
    if (first?.type === 'ERROR') {
      expect(first.object).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
    } else expect(first).toEqual({ type: 'ADDED', object: objects[0] });
  });

  rule('refuses a resourceVersion that is not a number for a watch', async (scope) => {
    const query = { resourceVersion: 'newest', timeoutSeconds: 1 };
    const { status, refusal } = await scope.api.watch(scope.core('configmaps'), { query });
    expect([400, 500]).toContain(status);
    expect(refusal).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    expect(refusal?.message).toContain('Invalid value: "newest"');
  });
}
