import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { eventually, impersonate, whenAllowed } from '../../suite/callers.js';
import { coreRule, grant, grantCluster, group, user } from '../../suite/rbac.js';
import { isAllowed, reviewAccess, reviewLocalAccess, reviewOwnAccess } from '../../suite/reviews.js';

/** Declares the rules about access reviews. */
export function accessReviewRules(rule: Rule): void {
  rule('answers a SubjectAccessReview with what the roles of the user allow', async (scope) => {
    const alice = scope.name('alice');
    const { namespace } = scope;
    const ask = (verb: string, where = namespace) =>
      reviewAccess(scope.api, {
        user: alice,
        resourceAttributes: { namespace: where, verb, resource: 'configmaps' },
      });
    const before = await ask('list');
    expect(before.status).toBe(201);
    expect(before.body.status).toMatchObject({ allowed: false });
    await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
    const allowed = await eventually(() => ask('list'), isAllowed);
    expect(allowed.status).toBe(201);
    expect(allowed.body).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: { user: alice, resourceAttributes: { namespace, verb: 'list', resource: 'configmaps' } },
    });
    expect((allowed.body.status as { reason?: string }).reason).toContain(alice);
    expect((await ask('delete')).body.status).toMatchObject({ allowed: false });
    expect((await ask('list', 'kube-system')).body.status).toMatchObject({ allowed: false });
  });

  rule('answers a SubjectAccessReview for groups without a user', async (scope) => {
    const team = scope.name('team');
    const ask = (name: string) =>
      reviewAccess(scope.api, {
        groups: [name],
        resourceAttributes: { namespace: scope.namespace, verb: 'list', resource: 'configmaps' },
      });
    await grant(scope, [group(team)], [coreRule(['list'], 'configmaps')]);
    expect((await eventually(() => ask(team), isAllowed)).status).toBe(201);
    expect((await ask(scope.name('other'))).body.status).toMatchObject({ allowed: false });
  });

  rule('counts only the groups that a SubjectAccessReview names', async (scope) => {
    const [alice, namespace] = [scope.name('alice'), await scope.ownNamespace()];
    await grant(scope, [group('system:authenticated')], [coreRule(['list'], 'configmaps')], namespace);
    const resourceAttributes = { namespace, verb: 'list', resource: 'configmaps' };
    const named = { user: alice, groups: ['system:authenticated'], resourceAttributes };
    expect((await eventually(() => reviewAccess(scope.api, named), isAllowed)).status).toBe(201);
    const { body } = await reviewAccess(scope.api, { user: alice, resourceAttributes });
    expect(body.status).toMatchObject({ allowed: false });
  });

  rule('answers reviews about subresources and names of objects', async (scope) => {
    const alice = scope.name('alice');
    const rules = [{ ...coreRule(['get'], 'pods/log'), resourceNames: ['mine'] }];
    await grant(scope, [user(alice)], rules);
    const ask = (name: string, subresource?: string) =>
      reviewAccess(scope.api, {
        user: alice,
        resourceAttributes: {
          namespace: scope.namespace,
          verb: 'get',
          resource: 'pods',
          name,
          ...(subresource !== undefined && { subresource }),
        },
      });
    expect((await eventually(() => ask('mine', 'log'), isAllowed)).status).toBe(201);
    for (const other of [await ask('other', 'log'), await ask('mine'), await ask('mine', 'exec')]) {
      expect(other.body.status).toMatchObject({ allowed: false });
    }
  });

  rule('answers reviews about paths that are not resources', async (scope) => {
    const [alice, path] = [scope.name('alice'), `/${scope.name('path')}`];
    await grantCluster(scope, [user(alice)], [{ verbs: ['get'], nonResourceURLs: [path] }]);
    const ask = (nonResourceAttributes: { path: string; verb: string }) =>
      reviewAccess(scope.api, { user: alice, nonResourceAttributes });
    expect((await eventually(() => ask({ path, verb: 'get' }), isAllowed)).status).toBe(201);
    expect((await ask({ path, verb: 'post' })).body.status).toMatchObject({ allowed: false });
    expect((await ask({ path: `${path}/x`, verb: 'get' })).body.status).toMatchObject({ allowed: false });
  });

  rule('answers a SelfSubjectAccessReview about the caller', async (scope) => {
    const alice = scope.name('alice');
    await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
    const caller = impersonate(scope.api, { user: alice });
    const ask = (verb: string) =>
      reviewOwnAccess(caller, {
        resourceAttributes: { namespace: scope.namespace, verb, resource: 'configmaps' },
      });
    const allowed = await eventually(() => ask('list'), isAllowed);
    expect(allowed.status).toBe(201);
    expect(allowed.body).toMatchObject({ kind: 'SelfSubjectAccessReview' });
    expect((await ask('delete')).body.status).toMatchObject({ allowed: false });
    const everything = { resourceAttributes: { verb: '*', group: '*', resource: '*' } };
    expect((await reviewOwnAccess(scope.api, everything)).body.status).toMatchObject({ allowed: true });
    expect((await reviewOwnAccess(caller, everything)).body.status).toMatchObject({ allowed: false });
  });

  rule('answers a LocalSubjectAccessReview within its namespace', async (scope) => {
    const alice = scope.name('alice');
    await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
    const ask = (verb: string) =>
      reviewLocalAccess(scope.api, scope.namespace, {
        user: alice,
        resourceAttributes: { namespace: scope.namespace, verb, resource: 'configmaps' },
      });
    expect((await eventually(() => ask('list'), isAllowed)).status).toBe(201);
    expect((await ask('delete')).body.status).toMatchObject({ allowed: false });
  });

  rule(
    'lets users create LocalSubjectAccessReviews with a Role, and no SubjectAccessReviews',
    async (scope) => {
      const reviewer = scope.name('reviewer');
      await grant(
        scope,
        [user(reviewer)],
        [
          {
            verbs: ['create'],
            apiGroups: ['authorization.k8s.io'],
            resources: ['localsubjectaccessreviews', 'subjectaccessreviews'],
          },
        ],
      );
      const caller = impersonate(scope.api, { user: reviewer });
      const resourceAttributes = { namespace: scope.namespace, verb: 'get', resource: 'pods' };
      const spec = { user: 'alice', resourceAttributes };
      const local = await whenAllowed(() => reviewLocalAccess(caller, scope.namespace, spec));
      expect(local.status).toBe(201);
      const refused = await reviewAccess(caller, spec);
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain(
        `User "${reviewer}" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope`,
      );
    },
  );

  rule('does not store reviews', async (scope) => {
    for (const path of ['subjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews']) {
      const { status, body } = await scope.api.get(`/apis/authorization.k8s.io/v1/${path}`);
      expect({ path, status, reason: body.reason }).toEqual({
        path,
        status: 405,
        reason: 'MethodNotAllowed',
      });
    }
  });
}
