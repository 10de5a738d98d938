import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { impersonate, whenAllowed } from '../../suite/callers.js';
import { coreRule, grant, user } from '../../suite/rbac.js';
import { whoIs } from '../../suite/reviews.js';
import { type StartWebhooks } from '../../suite/webhooks.js';

const kind = 'ValidatingWebhookConfiguration';
const configMaps = {
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
};

/** Declares the rules about the reviews that webhooks receive. */
export function requestRules(rule: Rule, startWebhooks: StartWebhooks): void {
  rule('posts an AdmissionReview of v1 with the timeout to the path of the webhook', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      seen: { fields: { timeoutSeconds: 7, admissionReviewVersions: ['v9', 'v1'] } },
    });
    expect((await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('seen')))).status).toBe(
      201,
    );
    const [call] = hooks.calls('seen');
    expect(call).toMatchObject({
      method: 'POST',
      contentType: 'application/json',
      review: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    });
    expect(call?.query.get('timeout')).toBe('7s');
  });

  rule('describes a creation: kind, resource, name, user, new object, options', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: {} });
    const name = scope.name('seen');
    const query = { fieldManager: 'conformance-manager' };
    await scope.api.post(scope.core('configmaps'), hooks.object(name, { step: '1' }), { query });
    const { username } = await whoIs(scope.api);
    const [request] = hooks.asked('seen');
    expect(request).toMatchObject({
      ...configMaps,
      requestKind: configMaps.kind,
      requestResource: configMaps.resource,
      name,
      namespace: scope.namespace,
      operation: 'CREATE',
      userInfo: { username },
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: scope.namespace, labels: hooks.labels },
        data: { step: '1' },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'conformance-manager' },
    });
    expect(request?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(request?.['subResource'] ?? '').toBe('');
  });

  rule('describes an update and a patch: new and old object, options of an update', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: { operations: ['UPDATE'] } });
    const name = scope.name('seen');
    const path = scope.core('configmaps', name);
    const created = await scope.api.post(scope.core('configmaps'), hooks.object(name, { step: '1' }));
    expect((await scope.api.put(path, hooks.object(name, { step: '2' }))).status).toBe(200);
    expect((await scope.api.patch(path, 'merge', { data: { step: '3' } })).status).toBe(200);
    /* A server can call the webhook again if its copy of the old object is stale. */
    const about = (step: string) =>
      hooks.asked('seen').findLast(({ object }) => object?.data?.['step'] === step);
    const [update, patch] = [about('2'), about('3')];
    expect(update).toMatchObject({
      operation: 'UPDATE',
      name,
      object: { data: { step: '2' } },
      oldObject: {
        metadata: { uid: created.body.metadata.uid, resourceVersion: created.body.metadata.resourceVersion },
        data: { step: '1' },
      },
      options: { kind: 'UpdateOptions' },
    });
    expect(patch).toMatchObject({
      operation: 'UPDATE',
      object: { data: { step: '3' } },
      oldObject: { data: { step: '2' } },
      options: { kind: 'UpdateOptions' },
    });
    expect(update?.uid).not.toBe(patch?.uid);
  });

  rule('describes a deletion: the old object and no new one, options of the deletion', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: { operations: ['DELETE'] } });
    const name = scope.name('seen');
    const path = scope.core('configmaps', name);
    const created = await scope.api.post(scope.core('configmaps'), hooks.object(name, { step: '1' }));
    const { uid } = created.body.metadata;
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
    const deleted = await scope.api.delete(path, {
      body: { ...options, propagationPolicy: 'Background' },
    });
    expect(deleted.status).toBe(200);
    expect(hooks.asked('seen').at(-1)).toMatchObject({
      ...configMaps,
      operation: 'DELETE',
      name,
      namespace: scope.namespace,
      object: null,
      oldObject: { kind: 'ConfigMap', metadata: { name, uid }, data: { step: '1' } },
      options: { kind: 'DeleteOptions', preconditions: { uid }, propagationPolicy: 'Background' },
    });
  });

  rule('calls a webhook for each object that the deletion of a collection deletes', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: { operations: ['DELETE'] } });
    const names = [scope.name('one'), scope.name('two')];
    for (const name of names) await scope.api.post(scope.core('configmaps'), hooks.object(name));
    const [[key, value] = ['', '']] = Object.entries(hooks.labels);
    const query = { labelSelector: `${key}=${value}` };
    expect((await scope.api.delete(scope.core('configmaps'), { query })).status).toBe(200);
    const asked = new Set(hooks.asked('seen').map(({ oldObject }) => oldObject?.metadata.name));
    expect([...asked].sort()).toEqual(names.sort());
  });

  rule('calls a webhook for a dry run with dryRun true, and stores nothing', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { none: {}, silent: { fields: { sideEffects: 'NoneOnDryRun' } } });
    const name = scope.name('dry');
    const query = { dryRun: 'All' };
    const answer = await scope.api.post(scope.core('configmaps'), hooks.object(name), { query });
    expect(answer.status).toBe(201);
    for (const hook of ['none', 'silent']) {
      expect(hooks.asked(hook)).toMatchObject([{ dryRun: true, options: { dryRun: ['All'] } }]);
    }
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule('names the user who asks, with uid, groups and extra, also when it is impersonated', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: {} });
    const [alice, team] = [scope.name('alice'), scope.name('team')];
    await grant(scope, [user(alice)], [coreRule(['create'], 'configmaps')]);
    const caller = impersonate(scope.api, {
      user: alice,
      groups: [team],
      uid: 'abc-123',
      extra: { scopes: 'view' },
    });
    const object = hooks.object(scope.name('seen'));
    const created = await whenAllowed(() => caller.post(scope.core('configmaps'), object));
    expect(created.status).toBe(201);
    expect(hooks.asked('seen')).toMatchObject([
      {
        userInfo: {
          username: alice,
          uid: 'abc-123',
          groups: [team, 'system:authenticated'],
          extra: { scopes: ['view'] },
        },
      },
    ]);
  });

  rule('does not ask about requests that are not authorized or not understood', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { seen: {} });
    const path = scope.core('configmaps');
    const mallory = impersonate(scope.api, { user: scope.name('mallory') });
    expect((await mallory.post(path, hooks.object(scope.name('refused')))).status).toBe(403);
    const broken = { ...hooks.object(scope.name('broken')), data: { number: 7 } };
    expect((await scope.api.post(path, broken)).status).toBe(400);
    expect(hooks.asked('seen')).toHaveLength(0);
    expect((await scope.api.post(path, hooks.object(scope.name('seen')))).status).toBe(201);
    expect(hooks.asked('seen')).toHaveLength(1);
  });
}
