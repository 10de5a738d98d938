import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { deployment, deployments } from '../../suite/workloads.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const secondsInUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Declares the rules about the metadata of every object. */
export function metadataRules(rule: Rule): void {
  rule('fills in namespace, uid, creationTimestamp and resourceVersion of a new object', async (scope) => {
    const name = scope.name('filled');
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    expect(metadata).toMatchObject({
      name,
      namespace: scope.namespace,
      uid: expect.stringMatching(uuid),
      creationTimestamp: expect.stringMatching(secondsInUtc),
      resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
    });
    const read = await scope.api.get(scope.core('configmaps', name));
    expect(read).toMatchObject({
      status: 200,
      body: { kind: 'ConfigMap', metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion } },
    });
  });

  rule('replaces uid, creationTimestamp and deletionTimestamp that a new object carries', async (scope) => {
    const own = {
      uid: '11111111-1111-1111-1111-111111111111',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    const name = scope.name('own');
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name, {}, own));
    expect(metadata.uid).not.toBe(own.uid);
    expect(metadata.uid).toMatch(uuid);
    expect(metadata.creationTimestamp).not.toBe(own.creationTimestamp);
    expect(metadata.deletionTimestamp).toBeUndefined();
  });

  rule('completes generateName with a suffix, another one for each object', async (scope) => {
    const generateName = `${scope.name('generated')}-`;
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName } };
    const first = await create(scope, scope.core('configmaps'), object);
    const second = await create(scope, scope.core('configmaps'), object);
    for (const { metadata } of [first, second]) {
      expect(metadata.name.startsWith(generateName)).toBe(true);
      expect(metadata.name.slice(generateName.length)).toMatch(/^[a-z0-9]{5}$/);
      expect(metadata).toMatchObject({ generateName });
    }
    expect(first.metadata.name).not.toBe(second.metadata.name);
  });

  rule('ignores generateName when the object has a name', async (scope) => {
    const name = scope.name('named');
    const { metadata } = await create(
      scope,
      scope.core('configmaps'),
      configMap(name, {}, { generateName: 'x-' }),
    );
    expect(metadata.name).toBe(name);
  });

  rule('raises the generation with each change of the spec, and with no other change', async (scope) => {
    const name = scope.name('generation');
    const path = `${deployments(scope.namespace)}/${name}`;
    const created = await create(scope, deployments(scope.namespace), deployment(name));
    expect(created.metadata.generation).toBe(1);
    const labelled = await scope.api.patch(path, 'merge', { metadata: { labels: { changed: 'yes' } } });
    expect(labelled.body.metadata).toMatchObject({ generation: 1, labels: { changed: 'yes' } });
    const changed = await scope.api.patch(path, 'merge', { spec: { minReadySeconds: 5 } });
    expect(changed.body.metadata.generation).toBe(2);
    const forged = await scope.api.patch(path, 'merge', { metadata: { generation: 9 } });
    expect(forged).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
  });

  rule('keeps uid and creationTimestamp in an update that leaves them out', async (scope) => {
    const name = scope.name('kept');
    const created = await create(scope, scope.core('configmaps'), configMap(name));
    const { uid, creationTimestamp, resourceVersion } = created.metadata;
    const answer = await scope.api.put(scope.core('configmaps', name), configMap(name, { a: '1' }));
    expect(answer).toMatchObject({ status: 200, body: { metadata: { uid, creationTimestamp } } });
    expect(answer.body.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  rule('ignores a creationTimestamp that an update changes', async (scope) => {
    const name = scope.name('created');
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    const forged = configMap(name, {}, { creationTimestamp: '2001-01-01T00:00:00Z' });
    const answer = await scope.api.put(scope.core('configmaps', name), forged);
    const { creationTimestamp } = metadata;
    expect(answer).toMatchObject({ status: 200, body: { metadata: { creationTimestamp } } });
  });

  rule('refuses to create an object that carries a resourceVersion', async (scope) => {
    const name = scope.name('versioned');
    const answer = await scope.api.post(
      scope.core('configmaps'),
      configMap(name, {}, { resourceVersion: '1' }),
    );
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toContain('resourceVersion should not be set on objects to be created');
    await create(scope, scope.core('configmaps'), configMap(name));
  });

  rule('refuses a second object of the same name with 409 AlreadyExists', async (scope) => {
    const name = scope.name('twice');
    const first = await create(scope, scope.core('configmaps'), configMap(name));
    const again = await scope.api.post(scope.core('configmaps'), configMap(name));
    expectRefusal(again, 409, 'AlreadyExists');
    expect(again.body.details).toMatchObject({ name, kind: 'configmaps' });
    const read = await scope.api.get(scope.core('configmaps', name));
    expect(read.body.metadata.uid).toBe(first.metadata.uid);
  });

  rule('accepts only qualified names as label keys, and short words as label values', async (scope) => {
    const attempt = (labels: Record<string, string>) =>
      scope.api.post(scope.core('configmaps'), configMap(scope.name('labels'), {}, { labels }), {
        query: { dryRun: 'All' },
      });
    const fits = {
      'example.com/role': 'Main_1.a',
      plain: '',
      [`example.com/${'k'.repeat(63)}`]: 'v'.repeat(63),
    };
    expect(await attempt(fits)).toMatchObject({ status: 201, body: { metadata: { labels: fits } } });
    for (const wrong of [
      { 'not a key': 'x' },
      { '/name': 'x' },
      { 'Prefix/name': 'x' },
      { ['k'.repeat(64)]: 'x' },
      { key: 'no spaces' },
      { key: '-dash' },
      { key: 'v'.repeat(64) },
    ]) {
      expectInvalid(await attempt(wrong), 'metadata.labels');
    }
  });

  rule('accepts any text as annotation value, up to 256 KiB in all', async (scope) => {
    const attempt = (annotations: Record<string, string>) =>
      scope.api.post(scope.core('configmaps'), configMap(scope.name('annotations'), {}, { annotations }), {
        query: { dryRun: 'All' },
      });
    const fits = { 'Example.com/Note': 'any text: ä, {"a": 1}\n', long: 'x'.repeat(200 * 1024) };
    expect(await attempt(fits)).toMatchObject({ status: 201, body: { metadata: { annotations: fits } } });
    expectInvalid(await attempt({ 'not a key': 'x' }), 'metadata.annotations');
    expectInvalid(await attempt({ key: 'x'.repeat(256 * 1024) }), 'metadata.annotations');
  });
}
