import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { whoIs } from '../../suite/reviews.js';
import { clusterRole, clusterRolesPath, coreRule } from '../../suite/rbac.js';
import {
  configuration,
  configurationsPath,
  deny,
  inNamespace,
  type StartWebhooks,
  webhookRule,
  type Webhooks,
} from '../../suite/webhooks.js';

const kind = 'ValidatingWebhookConfiguration';

/** Returns the names of the webhooks that were called, out of the given names. */
function askedOf(hooks: Webhooks, ...names: string[]): string[] {
  return names.filter((name) => hooks.asked(name).length > 0);
}

/** Declares the rules about the requests for which a webhook is called. */
export function matchingRules(rule: Rule, startWebhooks: StartWebhooks): void {
  rule('calls a webhook for the operations that a rule names', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      create: { operations: ['CREATE'] },
      update: { operations: ['UPDATE'] },
      delete: { operations: ['DELETE'] },
      every: { operations: ['*'] },
    });
    const name = scope.name('object');
    const path = scope.core('configmaps', name);
    const operations = (hook: string) => [...new Set(hooks.asked(hook).map(({ operation }) => operation))];
    await scope.api.post(scope.core('configmaps'), hooks.object(name));
    await scope.api.put(path, hooks.object(name, { step: '1' }));
    await scope.api.get(path);
    expect((await scope.api.delete(path)).status).toBe(200);
    expect(operations('create')).toEqual(['CREATE']);
    expect(operations('update')).toEqual(['UPDATE']);
    expect(operations('delete')).toEqual(['DELETE']);
    expect(operations('every')).toEqual(['CREATE', 'UPDATE', 'DELETE']);
  });

  rule('calls a webhook for the groups, versions and resources that a rule names', async (scope) => {
    const hooks = await startWebhooks(scope);
    const rules = (fields: object) => ({ fields: { rules: [webhookRule(fields)] } });
    await hooks.register(kind, {
      group: rules({ apiGroups: ['apps'] }),
      version: rules({ apiVersions: ['v2'] }),
      resource: rules({ resources: ['secrets'] }),
      subresource: rules({ resources: ['configmaps/status'] }),
      wildcards: rules({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }),
      several: { fields: { rules: [webhookRule({ resources: ['secrets'] }), webhookRule()] } },
    });
    const created = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('object')));
    expect(created.status).toBe(201);
    const names = ['group', 'version', 'resource', 'subresource', 'wildcards', 'several'];
    expect(askedOf(hooks, ...names)).toEqual(['wildcards', 'several']);
    expect(hooks.asked('wildcards')).toHaveLength(1);
  });

  rule('calls a webhook for objects in the namespaces that namespaceSelector selects', async (scope) => {
    const hooks = await startWebhooks(scope);
    const key = 'conformance.interlock.dev/tier';
    const value = scope.name('tier');
    const [gold, plain] = [await scope.ownNamespace({ [key]: value }), await scope.ownNamespace()];
    await hooks.register(kind, {
      gold: { fields: { namespaceSelector: { matchLabels: { [key]: value } } } },
      others: {
        fields: {
          namespaceSelector: { matchExpressions: [{ key, operator: 'NotIn', values: [value] }] },
        },
      },
    });
    const name = scope.name('object');
    for (const namespace of [gold, plain]) {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      expect((await scope.api.post(path, hooks.object(name))).status).toBe(201);
    }
    expect(hooks.asked('gold').map(({ namespace }) => namespace)).toEqual([gold]);
    expect(hooks.asked('others').map(({ namespace }) => namespace)).toEqual([plain]);
  });

  rule(
    'calls a webhook for objects that objectSelector selects, as they were or as they will be',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      const name = scope.name('object');
      const path = scope.core('configmaps', name);
      await hooks.register(kind, { labelled: { operations: ['CREATE', 'UPDATE', 'DELETE'] } });
      const count = () => hooks.asked('labelled').length;
      await scope.api.post(scope.core('configmaps'), configMap(name));
      expect(count()).toBe(0);
      expect((await scope.api.put(path, hooks.object(name))).status).toBe(200);
      const added = count();
      expect(added).toBeGreaterThan(0);
      expect((await scope.api.put(path, configMap(name))).status).toBe(200);
      const removed = count();
      expect(removed).toBeGreaterThan(added);
      expect((await scope.api.put(path, configMap(name, { step: '1' }))).status).toBe(200);
      /* The server may observe the removed label with a delay; the deletion reads the object again. */
      const before = count();
      expect((await scope.api.delete(path)).status).toBe(200);
      expect(count()).toBe(before);
    },
  );

  rule(
    'calls a webhook for namespaced or cluster-scoped objects as the scope of a rule states',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      const everything = { apiGroups: ['*'], resources: ['*'] };
      const scoped = (of: string) => ({ fields: { rules: [webhookRule({ ...everything, scope: of })] } });
      await hooks.register(kind, {
        cluster: scoped('Cluster'),
        namespaced: scoped('Namespaced'),
        both: scoped('*'),
      });
      const name = scope.name('scoped');
      scope.deleteAfterwards(clusterRolesPath(name));
      const role = clusterRole(name, [coreRule(['get'], 'pods')], { labels: hooks.labels });
      expect((await scope.api.post(clusterRolesPath(), role)).status).toBe(201);
      expect((await scope.api.post(scope.core('configmaps'), hooks.object(name))).status).toBe(201);
      const kinds = (hook: string) => hooks.asked(hook).map((request) => request.kind.kind);
      expect(kinds('cluster')).toEqual(['ClusterRole']);
      expect(kinds('namespaced')).toEqual(['ConfigMap']);
      expect(kinds('both')).toEqual(['ClusterRole', 'ConfigMap']);
      expect(hooks.asked('cluster')[0]?.namespace ?? '').toBe('');
    },
  );

  rule('counts a Namespace to the cluster, in a review about itself', async (scope) => {
    const hooks = await startWebhooks(scope);
    const name = scope.name('asked');
    const namespaces = (of: string) => ({
      fields: {
        rules: [webhookRule({ resources: ['namespaces'], scope: of })],
        namespaceSelector: inNamespace(name),
      },
    });
    await hooks.register(kind, { cluster: namespaces('Cluster'), namespaced: namespaces('Namespaced') });
    const metadata = { name, labels: hooks.labels };
    const query = { dryRun: 'All' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata };
    expect((await scope.api.post('/api/v1/namespaces', namespace, { query })).status).toBe(201);
    expect(askedOf(hooks, 'cluster', 'namespaced')).toEqual(['cluster']);
    expect(hooks.asked('cluster')).toMatchObject([{ name, kind: { kind: 'Namespace' } }]);
  });

  rule('asks only when all matchConditions are true', async (scope) => {
    const hooks = await startWebhooks(scope);
    const { username } = await whoIs(scope.api);
    const conditions = (...expressions: string[]) => ({
      operations: ['CREATE', 'UPDATE'],
      fields: {
        matchConditions: expressions.map((expression, index) => ({ name: `condition-${index}`, expression })),
      },
    });
    await hooks.register(kind, {
      blue: conditions("object.data.colour == 'blue'"),
      both: conditions("object.data.colour == 'blue'", "request.operation == 'UPDATE'"),
      changed: conditions('oldObject != null && object.data != oldObject.data'),
      me: conditions(`request.userInfo.username == '${username}'`),
      others: conditions(`request.userInfo.username != '${username}'`),
    });
    const [red, blue] = [scope.name('red'), scope.name('blue')];
    await scope.api.post(scope.core('configmaps'), hooks.object(red, { colour: 'red' }));
    expect(askedOf(hooks, 'blue', 'both', 'changed', 'me', 'others')).toEqual(['me']);
    await scope.api.post(scope.core('configmaps'), hooks.object(blue, { colour: 'blue' }));
    expect(hooks.asked('blue').map(({ name }) => name)).toEqual([blue]);
    expect(askedOf(hooks, 'both', 'changed')).toEqual([]);
    const path = scope.core('configmaps', blue);
    await scope.api.patch(path, 'merge', { metadata: { annotations: { x: 'y' } } });
    expect(askedOf(hooks, 'both', 'changed')).toEqual(['both']);
    await scope.api.patch(path, 'merge', { data: { more: 'x' } });
    expect(askedOf(hooks, 'both', 'changed')).toEqual(['both', 'changed']);
  });

  rule('refuses a request when a matchCondition cannot be evaluated, or skips with Ignore', async (scope) => {
    const hooks = await startWebhooks(scope);
    const matchConditions = [{ name: 'reads', expression: "object.data.missing == 'x'" }];
    const ignored = { matchConditions, failurePolicy: 'Ignore' };
    await hooks.register(kind, { ignored: { fields: ignored, handler: () => deny() } });
    const path = scope.core('configmaps');
    const skipped = await scope.api.post(path, hooks.object(scope.name('skipped'), { x: 'y' }));
    expect(skipped.status).toBe(201);
    const failing = await startWebhooks(scope);
    await failing.register(kind, { failing: { fields: { matchConditions } } });
    const refused = await scope.api.post(path, failing.object(scope.name('refused'), { x: 'y' }));
    expect({ status: refused.status, reason: refused.body.reason }).toEqual({
      status: 403,
      reason: 'Forbidden',
    });
    const matched = await scope.api.post(path, failing.object(scope.name('matched'), { missing: 'x' }));
    expect(matched.status).toBe(201);
    expect(hooks.asked('ignored')).toHaveLength(0);
    expect(failing.asked('failing')).toHaveLength(1);
  });

  rule('does not ask about webhook configurations', async (scope) => {
    const hooks = await startWebhooks(scope);
    const all = webhookRule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] });
    await hooks.register(kind, { all: { fields: { rules: [all] }, handler: () => deny() } });
    const name = scope.name('inner');
    scope.deleteAfterwards(configurationsPath(kind, name));
    const inner = { ...configuration(kind, name, []), metadata: { name, labels: hooks.labels } };
    expect((await scope.api.post(configurationsPath(kind), inner)).status).toBe(201);
    expect((await scope.api.post(scope.core('configmaps'), hooks.object(name))).status).toBe(400);
    expect(hooks.asked('all').map((request) => request.kind.kind)).toEqual(['ConfigMap']);
  });
}
