import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { finalize, namespacePath } from '../../suite/namespaces.js';
import { configMap } from '../../suite/objects.js';
import type { Scope } from '../../suite/scope.js';
import { expectInvalid, expectRefusal } from '../../suite/write.js';

const nameLabel = 'kubernetes.io/metadata.name';

/** Attempts to create a namespace, as a dry run. */
function attempt(scope: Scope, metadata: object, fields: object = {}): Promise<Answer> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata, ...fields };
  return scope.api.post('/api/v1/namespaces', object, { query: { dryRun: 'All' } });
}

/** Declares the rules about namespaces as objects, and about objects in namespaces that do not exist. */
export function namespaceRules(rule: Rule): void {
  rule('creates a namespace that is active, with its finalizer and a label of its name', async (scope) => {
    const name = await scope.ownNamespace({ team: 'a' });
    expect(await scope.api.get(namespacePath(name))).toMatchObject({
      status: 200,
      body: {
        kind: 'Namespace',
        metadata: { name, labels: { [nameLabel]: name, team: 'a' } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    });
  });

  rule('labels a namespace with a generated name', async (scope) => {
    const { status, body } = await attempt(scope, { generateName: `${scope.name('generated')}-` });
    expect(status).toBe(201);
    expect(body.metadata.labels?.[nameLabel]).toBe(body.metadata.name);
  });

  rule('keeps the label of the name of a namespace', async (scope) => {
    const name = await scope.ownNamespace();
    for (const value of ['other', null]) {
      const patch = { metadata: { labels: { [nameLabel]: value } } };
      const answer = await scope.api.patch(namespacePath(name), 'merge', patch);
      expect(answer).toMatchObject({ status: 200, body: { metadata: { labels: { [nameLabel]: name } } } });
    }
  });

  rule('adds its finalizer to those of a new namespace, and ignores its status', async (scope) => {
    const fields = { spec: { finalizers: ['example.com/hold'] }, status: { phase: 'Terminating' } };
    const { status, body } = await attempt(scope, { name: scope.name('finalizers') }, fields);
    expect(status).toBe(201);
    expect(body.spec?.['finalizers']).toEqual(expect.arrayContaining(['example.com/hold', 'kubernetes']));
    expect(body.status).toMatchObject({ phase: 'Active' });
    const wrong = await attempt(
      scope,
      { name: scope.name('wrong') },
      { spec: { finalizers: ['unqualified'] } },
    );
    expectRefusal(wrong, 422, 'Invalid');
  });

  rule('changes the finalizers of a namespace only through the finalize subresource', async (scope) => {
    const name = await scope.ownNamespace();
    const added = { spec: { finalizers: ['kubernetes', 'example.com/hold'] } };
    const patched = await scope.api.patch(namespacePath(name), 'merge', added);
    expect(patched).toMatchObject({ status: 200, body: { spec: { finalizers: ['kubernetes'] } } });
    const finalized = await finalize(scope.api, name, (present) => [...present, 'example.com/hold']);
    expect(finalized).toMatchObject({
      status: 200,
      body: { kind: 'Namespace', metadata: { name }, ...added },
    });
    expect((await scope.api.get(namespacePath(name))).body).toMatchObject(added);
    const removed = await finalize(scope.api, name, () => ['kubernetes']);
    expect(removed.body.spec).toEqual({ finalizers: ['kubernetes'] });
  });

  rule('checks what is sent to the finalize subresource', async (scope) => {
    const name = await scope.ownNamespace();
    expectInvalid(await finalize(scope.api, name, () => ['unqualified']), 'spec.finalizers[0]');
    const { body } = await scope.api.get(namespacePath(name));
    const path = `${namespacePath(name)}/finalize`;
    const stale = { ...body, metadata: { ...body.metadata, resourceVersion: '1' } };
    expectRefusal(await scope.api.put(path, stale), 409, 'Conflict');
    const status = { phase: 'Terminating' };
    const answer = await scope.api.put(path, { ...body, status });
    expect(answer).toMatchObject({ status: 200, body: { status: { phase: 'Active' } } });
    expectRefusal(await scope.api.get(path), 405, 'MethodNotAllowed');
  });

  rule('refuses to create an object in a namespace that does not exist', async (scope) => {
    const absent = scope.name('absent');
    const collection = `${namespacePath(absent)}/configmaps`;
    for (const answer of [
      await scope.api.post(collection, configMap('a')),
      await scope.api.apply(`${collection}/a`, 'one', configMap('a', { k: 'v' })),
    ]) {
      expectRefusal(answer, 404, 'NotFound');
      expect(answer.body).toMatchObject({
        message: `namespaces "${absent}" not found`,
        details: { name: absent, kind: 'namespaces' },
      });
    }
  });

  rule('lists nothing and finds nothing in a namespace that does not exist', async (scope) => {
    const collection = `${namespacePath(scope.name('absent'))}/configmaps`;
    const list = await scope.api.get(collection);
    expect(list).toMatchObject({ status: 200, body: { kind: 'ConfigMapList', items: [] } });
    const read = await scope.api.get(`${collection}/a`);
    expectRefusal(read, 404, 'NotFound');
    expect(read.body.details).toMatchObject({ name: 'a', kind: 'configmaps' });
    expectRefusal(await scope.api.delete(`${collection}/a`), 404, 'NotFound');
  });

  rule('keeps objects of one name in two namespaces apart', async (scope) => {
    const other = await scope.ownNamespace();
    const name = scope.name('same');
    await scope.api.post(scope.core('configmaps'), configMap(name, { in: 'one' }));
    scope.deleteAfterwards(scope.core('configmaps', name));
    const second = await scope.api.post(`${namespacePath(other)}/configmaps`, configMap(name, { in: 'two' }));
    expect(second.status).toBe(201);
    scope.deleteAfterwards(`${namespacePath(other)}/configmaps/${name}`);
    expect((await scope.api.get(scope.core('configmaps', name))).body.data).toEqual({ in: 'one' });
  });

  rule('refuses to delete the namespaces that Kubernetes needs', async (scope) => {
    const query = { dryRun: 'All' };
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const answer = await scope.api.delete(namespacePath(name), { query });
      expectRefusal(answer, 403, 'Forbidden');
      expect(answer.body.message).toContain('this namespace may not be deleted');
    }
    const own = await scope.ownNamespace();
    expect((await scope.api.delete(namespacePath(own), { query })).status).toBe(200);
    expect((await scope.api.get(namespacePath(own))).body.status).toMatchObject({ phase: 'Active' });
  });
}
