import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { container, containersOf, deployment, deployments } from '../../suite/workloads.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

/** Declares the rules of RFC 7386, and rules for patches of every type. */
export function mergePatchRules(rule: Rule): void {
  rule('merges maps, sets values and removes by null in a merge patch', async (scope) => {
    const name = scope.name('merge');
    const path = scope.core('configmaps', name);
    const labels = { keep: 'me', drop: 'me' };
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1', b: '2' }, { labels }));
    const answer = await scope.api.patch(path, 'merge', {
      metadata: { labels: { drop: null, add: 'ed' } },
      data: { a: null, b: 'two', absent: null, c: '3' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.metadata.labels).toEqual({ keep: 'me', add: 'ed' });
    expect(answer.body.data).toEqual({ b: 'two', c: '3' });
    const emptied = await scope.api.patch(path, 'merge', { data: null });
    expect(emptied.status).toBe(200);
    expect(emptied.body.data).toBeUndefined();
  });

  rule('replaces a list as a whole in a merge patch', async (scope) => {
    const name = scope.name('lists');
    const containers = [container('one'), container('two')];
    await create(scope, deployments(scope.namespace), deployment(name, { containers }));
    const patch = { spec: { template: { spec: { containers: [container('three')] } } } };
    const answer = await scope.api.patch(`${deployments(scope.namespace)}/${name}`, 'merge', patch);
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body).map((one) => one['name'])).toEqual(['three']);
  });

  rule('refuses a merge patch that is not JSON with 400', async (scope) => {
    const name = scope.name('broken');
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const type of ['merge', 'strategic'] as const) {
      const answer = await scope.api.patch(scope.core('configmaps', name), type, '{"data":');
      expectRefusal(answer, 400, 'BadRequest');
    }
  });

  rule('keeps the resourceVersion of a patch that changes nothing', async (scope) => {
    const name = scope.name('nothing');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const { resourceVersion } = metadata;
    const same = { status: 200, body: { metadata: { resourceVersion } } };
    const replace = [{ op: 'replace', path: '/data/a', value: '1' }];
    expect(await scope.api.patch(path, 'json', replace)).toMatchObject(same);
    expect(await scope.api.patch(path, 'merge', { data: { a: '1' } })).toMatchObject(same);
    expect(await scope.api.patch(path, 'strategic', { data: { a: '1' } })).toMatchObject(same);
    const changed = await scope.api.patch(path, 'merge', { data: { a: '2' } });
    expect(changed.body.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  rule('answers 404 to a patch of an object that does not exist', async (scope) => {
    const name = scope.name('absent');
    for (const type of ['json', 'merge', 'strategic'] as const) {
      const answer = await scope.api.patch(scope.core('configmaps', name), type, type === 'json' ? [] : {});
      expectRefusal(answer, 404, 'NotFound');
      expect(answer.body.details).toMatchObject({ name, kind: 'configmaps' });
    }
  });

  rule('refuses a patch of an unknown media type with 415', async (scope) => {
    const name = scope.name('media');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const contentType of ['application/json', 'text/plain', 'application/yaml']) {
      const answer = await scope.api.patch(path, 'merge', { data: { a: '1' } }, { contentType });
      expectRefusal(answer, 415, 'UnsupportedMediaType');
    }
    expect((await scope.api.get(path)).body.data).toBeUndefined();
  });

  rule('refuses a patch that renames or moves an object', async (scope) => {
    const name = scope.name('renamed');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    const renamed = await scope.api.patch(path, 'merge', { metadata: { name: 'other' } });
    expectRefusal(renamed, 400, 'BadRequest');
    expect(renamed.body.message).toContain('does not match the name on the URL');
    const moved = await scope.api.patch(path, 'merge', { metadata: { namespace: 'default' } });
    expectRefusal(moved, 400, 'BadRequest');
    expect((await scope.api.get(path)).status).toBe(200);
  });

  rule('refuses a patch of metadata that only the server sets with 422', async (scope) => {
    const name = scope.name('system');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    const uid = '11111111-1111-1111-1111-111111111111';
    const other = await scope.api.patch(path, 'merge', { metadata: { uid } });
    expectInvalid(other, 'metadata.uid');
    expect(other.body.message).toContain('field is immutable');
    const deletionTimestamp = '2001-01-01T00:00:00Z';
    const deleted = await scope.api.patch(path, 'merge', { metadata: { deletionTimestamp } });
    expectInvalid(deleted, 'metadata.deletionTimestamp');
    const nulls = { metadata: { uid: null, creationTimestamp: null, generation: null } };
    const { creationTimestamp } = metadata;
    expect(await scope.api.patch(path, 'merge', nulls)).toMatchObject({
      status: 200,
      body: { metadata: { uid: metadata.uid, creationTimestamp } },
    });
  });

  rule('refuses a patch of an immutable field with 422', async (scope) => {
    const name = scope.name('selector');
    const path = `${deployments(scope.namespace)}/${name}`;
    await create(scope, deployments(scope.namespace), deployment(name));
    const labels = { app: 'other' };
    const patch = { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } };
    const answer = await scope.api.patch(path, 'merge', patch);
    expectInvalid(answer, 'spec.selector');
    expect(answer.body.message).toContain('field is immutable');
    expect(answer.body.details).toMatchObject({ name, group: 'apps', kind: 'Deployment' });
  });
}
