import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { create, expectInvalid, expectRefusal } from '../suite/write.js';

const writers = 6;

export const optimisticLocking = defineGroup(
  'optimistic-locking',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions' },
  (rule) => {
    rule('refuses an update with a stale resourceVersion with 409 Conflict', async (scope) => {
      const name = scope.name('stale');
      const path = scope.core('configmaps', name);
      const created = await create(scope, scope.core('configmaps'), configMap(name, { step: '1' }));
      const changed = { ...created, data: { step: '2' } };
      expect((await scope.api.put(path, changed)).status).toBe(200);
      const stale = await scope.api.put(path, { ...created, data: { step: '3' } });
      expectRefusal(stale, 409, 'Conflict');
      expect(stale.body.details).toMatchObject({ name, kind: 'configmaps' });
      expect(stale.body.message).toContain('the object has been modified');
      expect((await scope.api.get(path)).body.data).toEqual({ step: '2' });
    });

    rule('accepts an update without a resourceVersion as unconditional', async (scope) => {
      const name = scope.name('unconditional');
      await create(scope, scope.core('configmaps'), configMap(name, { step: '1' }));
      const answer = await scope.api.put(scope.core('configmaps', name), configMap(name, { step: '2' }));
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ step: '2' });
    });

    rule('requires a resourceVersion in the update of a Lease', async (scope) => {
      const collection = `/apis/coordination.k8s.io/v1/namespaces/${scope.namespace}/leases`;
      const name = scope.name('lease');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } };
      const created = await create(scope, collection, lease);
      const spec = { holderIdentity: 'a' };
      const path = `${collection}/${name}`;
      expectInvalid(await scope.api.put(path, { ...lease, spec }), 'metadata.resourceVersion');
      expect(await scope.api.put(path, { ...created, spec })).toMatchObject({ status: 200, body: { spec } });
    });

    rule('refuses an update with the uid of another object with 409 Conflict', async (scope) => {
      const name = scope.name('uid');
      const path = scope.core('configmaps', name);
      const { metadata } = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
      const other = { uid: '11111111-1111-1111-1111-111111111111' };
      const refused = await scope.api.put(path, configMap(name, { a: '2' }, other));
      expectRefusal(refused, 409, 'Conflict');
      expect(refused.body.message).toContain('Precondition failed: UID in precondition');
      const { uid } = metadata;
      expect(await scope.api.put(path, configMap(name, { a: '2' }, { uid }))).toMatchObject({ status: 200 });
    });

    rule('refuses a patch that carries a stale resourceVersion with 409 Conflict', async (scope) => {
      const name = scope.name('patch');
      const path = scope.core('configmaps', name);
      const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
      const stale = created.metadata.resourceVersion;
      const changed = await scope.api.patch(path, 'merge', { data: { a: '2' } });
      const { resourceVersion } = changed.body.metadata;
      expect(resourceVersion).not.toBe(stale);
      for (const type of ['merge', 'strategic'] as const) {
        const patch = { metadata: { resourceVersion: stale }, data: { [type]: 'x' } };
        const refused = await scope.api.patch(path, type, patch);
        expectRefusal(refused, 409, 'Conflict');
        expect(refused.body.message).toContain('the object has been modified');
      }
      const current = { metadata: { resourceVersion }, data: { a: '3' } };
      expect(await scope.api.patch(path, 'merge', current)).toMatchObject({
        status: 200,
        body: { data: { a: '3' } },
      });
    });

    rule('applies a JSON patch only if the resourceVersion that it tests is current', async (scope) => {
      const name = scope.name('test');
      const path = scope.core('configmaps', name);
      const { metadata } = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
      const patch = [
        { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
        { op: 'replace', path: '/data/a', value: '2' },
      ];
      expect(await scope.api.patch(path, 'json', patch)).toMatchObject({
        status: 200,
        body: { data: { a: '2' } },
      });
      expectRefusal(await scope.api.patch(path, 'json', patch), 422, 'Invalid');
    });

    rule('refuses a status update with a stale resourceVersion with 409 Conflict', async (scope) => {
      const path = `/api/v1/namespaces/${await scope.ownNamespace()}`;
      const { body } = await scope.api.get(path);
      await scope.api.patch(path, 'merge', { metadata: { labels: { changed: 'yes' } } });
      const condition = { type: 'example.com/Checked', status: 'True' };
      const status = { ...(body.status as object), conditions: [condition] };
      expectRefusal(await scope.api.put(`${path}/status`, { ...body, status }), 409, 'Conflict');
      const { body: current } = await scope.api.get(path);
      expect(await scope.api.put(`${path}/status`, { ...current, status })).toMatchObject({
        status: 200,
        body: { status: { conditions: [condition] } },
      });
    });

    rule('deletes only the version that the preconditions name', async (scope) => {
      const name = scope.name('delete');
      const path = scope.core('configmaps', name);
      const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
      const changed = await scope.api.patch(path, 'merge', { data: { a: '2' } });
      const deleteVersion = (resourceVersion: string) => {
        const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } };
        return scope.api.delete(path, { body });
      };
      expectRefusal(await deleteVersion(created.metadata.resourceVersion), 409, 'Conflict');
      expect((await scope.api.get(path)).status).toBe(200);
      expect((await deleteVersion(changed.body.metadata.resourceVersion)).status).toBe(200);
      expect((await scope.api.get(path)).status).toBe(404);
    });

    rule('keeps the resourceVersion of an update that changes nothing', async (scope) => {
      const name = scope.name('same');
      const path = scope.core('configmaps', name);
      const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
      const { resourceVersion } = created.metadata;
      expect(await scope.api.put(path, created)).toMatchObject({
        status: 200,
        body: { metadata: { resourceVersion } },
      });
      const changed = await scope.api.put(path, { ...created, data: { a: '2' } });
      expect(BigInt(changed.body.metadata.resourceVersion)).toBeGreaterThan(BigInt(resourceVersion));
    });

    rule('loses no change of writers that update at once and retry after a conflict', async (scope) => {
      const name = scope.name('counter');
      const path = scope.core('configmaps', name);
      await create(scope, scope.core('configmaps'), configMap(name, { count: '0' }));
      const increment = async (): Promise<void> => {
        for (;;) {
          const { body } = await scope.api.get(path);
          const count = String(Number(body.data?.['count']) + 1);
          const { status } = await scope.api.put(path, { ...body, data: { count } });
          if (status === 200) return;
          expect(status).toBe(409);
        }
      };
      await Promise.all(Array.from({ length: writers }, increment));
      expect((await scope.api.get(path)).body.data).toEqual({ count: String(writers) });
    });

    rule('applies every one of the patches that come at once', async (scope) => {
      const name = scope.name('patches');
      const path = scope.core('configmaps', name);
      await create(scope, scope.core('configmaps'), configMap(name));
      const keys = Array.from({ length: writers }, (_, index) => `key-${index}`);
      const answers = await Promise.all(
        keys.map((key) => scope.api.patch(path, 'merge', { data: { [key]: 'x' } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const { data } = (await scope.api.get(path)).body;
      expect(data).toEqual(Object.fromEntries(keys.map((key) => [key, 'x'])));
    });
  },
);
