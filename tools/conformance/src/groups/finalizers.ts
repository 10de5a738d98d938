import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import type { Body } from '../suite/body.js';
import type { Scope } from '../suite/scope.js';
import { configMap } from '../suite/objects.js';
import { deployment, deployments } from '../suite/workloads.js';
import { create, expectInvalid, expectRefusal, releaseAfterwards } from '../suite/write.js';

const hold = 'example.com/hold';

/** Creates a ConfigMap with finalizers that are removed after the case. @returns it and its path. */
async function held(scope: Scope, ...finalizers: string[]): Promise<{ path: string; created: Body }> {
  const name = scope.name('held');
  const path = scope.core('configmaps', name);
  const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }, { finalizers }));
  releaseAfterwards(scope, path);
  return { path, created };
}

export const finalizers = defineGroup(
  'finalizers',
  { source: 'https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/' },
  (rule) => {
    rule('marks an object with finalizers as being deleted and answers with it', async (scope) => {
      const { path, created } = await held(scope, hold);
      const { name, uid } = created.metadata;
      const answer = await scope.api.delete(path);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          kind: 'ConfigMap',
          metadata: {
            name,
            uid,
            deletionTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
            deletionGracePeriodSeconds: 0,
            finalizers: [hold],
          },
          data: { a: '1' },
        },
      });
      const { deletionTimestamp } = answer.body.metadata;
      expect(await scope.api.get(path)).toMatchObject({
        status: 200,
        body: { metadata: { deletionTimestamp, finalizers: [hold] } },
      });
    });

    rule('changes nothing when an object that is being deleted is deleted again', async (scope) => {
      const { path } = await held(scope, hold);
      const first = await scope.api.delete(path);
      const { deletionTimestamp, resourceVersion } = first.body.metadata;
      const second = await scope.api.delete(path);
      expect(second).toMatchObject({
        status: 200,
        body: { metadata: { deletionTimestamp, resourceVersion } },
      });
    });

    rule('removes an object that is being deleted with its last finalizer', async (scope) => {
      const { path } = await held(scope, hold, 'example.com/second');
      await scope.api.delete(path);
      const one = await scope.api.patch(path, 'merge', { metadata: { finalizers: [hold] } });
      expect(one).toMatchObject({ status: 200, body: { metadata: { finalizers: [hold] } } });
      expect((await scope.api.get(path)).status).toBe(200);
      const last = await scope.api.patch(path, 'merge', { metadata: { finalizers: null } });
      expect(last).toMatchObject({ status: 200, body: { kind: 'ConfigMap' } });
      expectRefusal(await scope.api.get(path), 404, 'NotFound');
    });

    rule(
      'removes an object that is being deleted when an update leaves its finalizers out',
      async (scope) => {
        const { path, created } = await held(scope, hold);
        const deleted = await scope.api.delete(path);
        const { resourceVersion } = deleted.body.metadata;
        const { name } = created.metadata;
        const answer = await scope.api.put(path, configMap(name, {}, { resourceVersion }));
        expect(answer.status).toBe(200);
        expectRefusal(await scope.api.get(path), 404, 'NotFound');
      },
    );

    rule('keeps an object whose finalizers are removed before it is deleted', async (scope) => {
      const { path } = await held(scope, hold);
      const released = await scope.api.patch(path, 'merge', { metadata: { finalizers: null } });
      expect(released.body.metadata.finalizers).toBeUndefined();
      expect((await scope.api.get(path)).status).toBe(200);
      expect(await scope.api.delete(path)).toMatchObject({ status: 200, body: { kind: 'Status' } });
      expect((await scope.api.get(path)).status).toBe(404);
    });

    rule('lets other fields of an object that is being deleted change', async (scope) => {
      const { path } = await held(scope, hold);
      await scope.api.delete(path);
      const patch = { metadata: { labels: { changed: 'yes' } }, data: { a: '2' } };
      expect(await scope.api.patch(path, 'merge', patch)).toMatchObject({ status: 200, body: patch });
    });

    rule('refuses to add finalizers to an object that is being deleted', async (scope) => {
      const { path } = await held(scope, hold);
      await scope.api.delete(path);
      const added = { metadata: { finalizers: [hold, 'example.com/late'] } };
      const answer = await scope.api.patch(path, 'merge', added);
      expectInvalid(answer, 'metadata.finalizers');
      expect(answer.body.message).toContain(
        'no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
      );
      expect((await scope.api.get(path)).body.metadata.finalizers).toEqual([hold]);
    });

    rule('never takes back the deletion of an object', async (scope) => {
      const { path } = await held(scope, hold);
      const deleted = await scope.api.delete(path);
      const { deletionTimestamp } = deleted.body.metadata;
      const kept = { status: 200, body: { metadata: { deletionTimestamp } } };
      const nulls = { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } };
      expect(await scope.api.patch(path, 'merge', nulls)).toMatchObject(kept);
      const later = { metadata: { deletionTimestamp: '2101-01-01T00:00:00Z' } };
      expect(await scope.api.patch(path, 'merge', later)).toMatchObject(kept);
    });

    rule('refuses to create an object of the name of one that is being deleted', async (scope) => {
      const { path, created } = await held(scope, hold);
      await scope.api.delete(path);
      const { name } = created.metadata;
      const answer = await scope.api.post(scope.core('configmaps'), configMap(name));
      expectRefusal(answer, 409, 'AlreadyExists');
      expect(answer.body.message).toContain('object is being deleted');
    });

    rule('raises the generation of an object that starts to be deleted', async (scope) => {
      const name = scope.name('generation');
      const path = `${deployments(scope.namespace)}/${name}`;
      await create(scope, deployments(scope.namespace), deployment(name));
      releaseAfterwards(scope, path);
      await scope.api.patch(path, 'merge', { metadata: { finalizers: [hold] } });
      const answer = await scope.api.delete(path);
      expect(answer).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    });

    rule('marks the held objects when a collection is deleted', async (scope) => {
      const { path } = await held(scope, hold);
      const part = scope.name('part');
      await scope.api.patch(path, 'merge', { metadata: { labels: { part } } });
      const free = scope.name('free');
      await create(scope, scope.core('configmaps'), configMap(free, {}, { labels: { part } }));
      const query = { labelSelector: `part=${part}` };
      expect((await scope.api.delete(scope.core('configmaps'), { query })).status).toBe(200);
      expect((await scope.api.get(scope.core('configmaps', free))).status).toBe(404);
      const { metadata } = (await scope.api.get(path)).body;
      expect(metadata).toMatchObject({ finalizers: [hold], deletionTimestamp: expect.any(String) });
    });

    rule('adds the finalizer of the propagationPolicy to an object that is deleted', async (scope) => {
      const { path } = await held(scope, hold);
      for (const [propagationPolicy, finalizer] of [
        ['Foreground', 'foregroundDeletion'],
        ['Orphan', 'orphan'],
      ]) {
        const answer = await scope.api.delete(path, { query: { propagationPolicy, dryRun: 'All' } });
        expect(answer.status).toBe(200);
        expect([...(answer.body.metadata.finalizers ?? [])].sort()).toEqual([hold, finalizer].sort());
      }
      const background = { query: { propagationPolicy: 'Background', dryRun: 'All' } };
      expect((await scope.api.delete(path, background)).body.metadata.finalizers).toEqual([hold]);
    });

    rule('accepts as finalizers qualified names and those of Kubernetes', async (scope) => {
      const attempt = (...names: string[]) =>
        scope.api.post(scope.core('configmaps'), configMap(scope.name('names'), {}, { finalizers: names }), {
          query: { dryRun: 'All' },
        });
      for (const name of ['example.com/My_name.1', 'kubernetes', 'orphan', 'foregroundDeletion']) {
        expect(await attempt(name)).toMatchObject({
          status: 201,
          body: { metadata: { finalizers: [name] } },
        });
      }
      for (const name of [
        'not a name',
        'example.com/',
        'Example.com/x',
        '/x',
        `example.com/${'x'.repeat(64)}`,
      ]) {
        expectInvalid(await attempt(name), 'metadata.finalizers');
      }
      expectInvalid(await attempt('unqualified'), 'metadata.finalizers[0]');
      expectInvalid(await attempt('orphan', 'foregroundDeletion'), 'metadata.finalizers');
    });
  },
);
