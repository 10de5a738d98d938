import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import {
  createServiceAccount,
  impersonate,
  requestToken,
  whenAllowed,
  withHeaders,
  withToken,
} from '../../suite/callers.js';
import type { Api } from '../../suite/api.js';
import { configMap } from '../../suite/objects.js';
import { coreRule, grant, grantCluster, user, type Rule as PolicyRule } from '../../suite/rbac.js';
import type { Scope } from '../../suite/scope.js';
import { reviewSelf, whoIs } from '../../suite/reviews.js';

const authentication = 'authentication.k8s.io';

/** Returns a client of a service account with rules in the whole cluster, and the name of its user. */
async function robot(scope: Scope, ...rules: PolicyRule[]): Promise<{ api: Api; username: string }> {
  const { name, username } = await createServiceAccount(scope);
  const subject = { kind: 'ServiceAccount', name, namespace: scope.namespace };
  if (rules.length > 0) await grantCluster(scope, [subject], rules);
  return { api: withToken(scope, await requestToken(scope, name)), username };
}

/** Declares the rules about impersonation. */
export function impersonationRules(rule: Rule): void {
  rule('makes a request as the user, and the groups, that it impersonates', async (scope) => {
    const [alice, one, two] = [scope.name('alice'), scope.name('one'), scope.name('two')];
    const info = await whoIs(impersonate(scope.api, { user: alice, groups: [one, two] }));
    expect(info.username).toBe(alice);
    expect(info.groups).toEqual([one, two, 'system:authenticated']);
    expect((await whoIs(impersonate(scope.api, { user: alice }))).groups).toEqual(['system:authenticated']);
  });

  rule('gives an impersonated service account the groups of service accounts', async (scope) => {
    const { username } = await createServiceAccount(scope);
    const info = await whoIs(impersonate(scope.api, { user: username }));
    expect(info).toMatchObject({
      username,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${scope.namespace}`, 'system:authenticated'],
    });
  });

  rule('gives an impersonated service account only the groups that the request names', async (scope) => {
    const { username } = await createServiceAccount(scope);
    const team = scope.name('team');
    const info = await whoIs(impersonate(scope.api, { user: username, groups: [team] }));
    expect(info.groups).toEqual([team, 'system:authenticated']);
  });

  rule('decodes the keys of impersonated extra', async (scope) => {
    const extra = { scopes: 'view', 'acme.example.com/project': 'some-project' };
    const info = await whoIs(impersonate(scope.api, { user: scope.name('alice'), extra }));
    expect(info.extra).toMatchObject({ scopes: ['view'], 'acme.example.com/project': ['some-project'] });
  });

  rule('has only the permissions of the impersonated user', async (scope) => {
    const [alice, name] = [scope.name('alice'), scope.name('owned')];
    await grant(scope, [user(alice)], [coreRule(['create'], 'configmaps')]);
    const caller = impersonate(scope.api, { user: alice });
    const created = await whenAllowed(() => caller.post(scope.core('configmaps'), configMap(name)));
    expect(created.status).toBe(201);
    const refused = await caller.get(scope.core('configmaps', name));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(`User "${alice}" cannot get resource "configmaps"`);
  });

  rule('refuses impersonated groups, uid or extra without a user with 400', async (scope) => {
    for (const headers of [
      { 'impersonate-group': 'team' },
      { 'impersonate-uid': 'abc' },
      { 'impersonate-extra-scopes': 'view' },
    ]) {
      const { status, body } = await reviewSelf(withHeaders(scope.api, headers));
      expect({ headers, status, reason: body.reason }).toEqual({
        headers,
        status: 400,
        reason: 'BadRequest',
      });
      expect(body.message).toContain('without impersonating a user');
    }
  });

  rule('needs the verb impersonate on users, which resourceNames can limit', async (scope) => {
    const [alice, bob] = [scope.name('alice'), scope.name('bob')];
    const allowed = { ...coreRule(['impersonate'], 'users'), resourceNames: [alice] };
    const { api, username } = await robot(scope, allowed);
    const as = (name: string) => () => reviewSelf(impersonate(api, { user: name }));
    expect((await whenAllowed(as(alice))).status).toBe(201);
    const refused = await as(bob)();
    expect({ status: refused.status, reason: refused.body.reason }).toEqual({
      status: 403,
      reason: 'Forbidden',
    });
    expect(refused.body.message).toContain(`User "${username}" cannot impersonate`);
    const { api: other } = await robot(scope);
    expect((await reviewSelf(impersonate(other, { user: alice }))).status).toBe(403);
  });

  rule('needs the verb impersonate on each group', async (scope) => {
    const [alice, mine, other] = [scope.name('alice'), scope.name('mine'), scope.name('other')];
    const { api } = await robot(
      scope,
      { ...coreRule(['impersonate'], 'users'), resourceNames: [alice] },
      { ...coreRule(['impersonate'], 'groups'), resourceNames: [mine] },
    );
    const as = (...groups: string[]) => reviewSelf(impersonate(api, { user: alice, groups }));
    expect((await whenAllowed(() => as(mine))).status).toBe(201);
    expect((await as(mine, other)).status).toBe(403);
    expect((await as('system:masters')).status).toBe(403);
  });

  rule('needs the verb impersonate on service accounts in their namespace', async (scope) => {
    const elsewhere = await scope.ownNamespace();
    const { name } = await createServiceAccount(scope);
    const { api, username } = await robot(scope);
    const [, , , account = ''] = username.split(':');
    const subject = { kind: 'ServiceAccount', name: account, namespace: scope.namespace };
    await grant(scope, [subject], [coreRule(['impersonate'], 'serviceaccounts')]);
    const as = (namespace: string) =>
      reviewSelf(impersonate(api, { user: `system:serviceaccount:${namespace}:${name}` }));
    expect((await whenAllowed(() => as(scope.namespace))).status).toBe(201);
    expect((await as(elsewhere)).status).toBe(403);
    expect((await reviewSelf(impersonate(api, { user: name }))).status).toBe(403);
  });

  rule('needs the verb impersonate on uids and on each key of extra', async (scope) => {
    const alice = scope.name('alice');
    const { api } = await robot(
      scope,
      { ...coreRule(['impersonate'], 'users'), resourceNames: [alice] },
      { verbs: ['impersonate'], apiGroups: [authentication], resources: ['uids'], resourceNames: ['abc'] },
      {
        verbs: ['impersonate'],
        apiGroups: [authentication],
        resources: ['userextras/scopes'],
        resourceNames: ['view'],
      },
    );
    const as = (fields: object) => reviewSelf(impersonate(api, { user: alice, ...fields }));
    expect((await whenAllowed(() => as({ uid: 'abc', extra: { scopes: 'view' } }))).status).toBe(201);
    expect((await as({ uid: 'def' })).status).toBe(403);
    expect((await as({ extra: { scopes: 'edit' } })).status).toBe(403);
    expect((await as({ extra: { other: 'view' } })).status).toBe(403);
  });
}
