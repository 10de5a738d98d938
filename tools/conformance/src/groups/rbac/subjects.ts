import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import {
  createServiceAccount,
  impersonate,
  requestToken,
  whenAllowed,
  withToken,
} from '../../suite/callers.js';
import { coreRule, grant, group, grantCluster } from '../../suite/rbac.js';

const listing = [coreRule(['list'], 'configmaps')];

/** Declares the rules about the subjects of bindings. */
export function subjectRules(rule: Rule): void {
  rule('grants to the members of a group', async (scope) => {
    const [team, other, alice] = [scope.name('team'), scope.name('other'), scope.name('alice')];
    await grant(scope, [group(team)], listing);
    const member = impersonate(scope.api, { user: alice, groups: [other, team] });
    expect((await whenAllowed(() => member.get(scope.core('configmaps')))).status).toBe(200);
    const stranger = impersonate(scope.api, { user: alice, groups: [other] });
    expect((await stranger.get(scope.core('configmaps'))).status).toBe(403);
  });

  rule('does not take a group for a user of the same name', async (scope) => {
    const name = scope.name('same');
    await grant(scope, [group(name)], listing);
    const member = impersonate(scope.api, { user: scope.name('alice'), groups: [name] });
    expect((await whenAllowed(() => member.get(scope.core('configmaps')))).status).toBe(200);
    const namesake = impersonate(scope.api, { user: name });
    expect((await namesake.get(scope.core('configmaps'))).status).toBe(403);
  });

  rule('grants to a service account by name and namespace', async (scope) => {
    const elsewhere = await scope.ownNamespace();
    const { name } = await createServiceAccount(scope, 'robot', elsewhere);
    await grant(scope, [{ kind: 'ServiceAccount', name, namespace: elsewhere }], listing);
    const allowed = withToken(scope, await requestToken(scope, name, {}, elsewhere));
    expect((await whenAllowed(() => allowed.get(scope.core('configmaps')))).status).toBe(200);
    /* The service account of the same name in the namespace of the binding is a different one. */
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    expect((await scope.api.post(scope.core('serviceaccounts'), object)).status).toBe(201);
    const namesake = withToken(scope, await requestToken(scope, name));
    expect((await namesake.get(scope.core('configmaps'))).status).toBe(403);
  });

  rule('grants to all service accounts of a namespace by the group of the namespace', async (scope) => {
    const elsewhere = await scope.ownNamespace();
    await grant(scope, [group(`system:serviceaccounts:${elsewhere}`)], listing);
    const member = await createServiceAccount(scope, 'robot', elsewhere);
    const allowed = withToken(scope, await requestToken(scope, member.name, {}, elsewhere));
    expect((await whenAllowed(() => allowed.get(scope.core('configmaps')))).status).toBe(200);
    const other = await createServiceAccount(scope);
    const stranger = withToken(scope, await requestToken(scope, other.name));
    const refused = await stranger.get(scope.core('configmaps'));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(`User "${other.username}" cannot list resource "configmaps"`);
  });

  rule('grants to a service account by its user name', async (scope) => {
    const account = await createServiceAccount(scope);
    await grant(scope, [{ kind: 'User', name: account.username, apiGroup: '' }], listing);
    const allowed = withToken(scope, await requestToken(scope, account.name));
    expect((await whenAllowed(() => allowed.get(scope.core('configmaps')))).status).toBe(200);
  });

  rule('grants to all service accounts by the group system:serviceaccounts', async (scope) => {
    const namespace = await scope.ownNamespace();
    await grant(scope, [group('system:serviceaccounts')], listing, namespace);
    const account = await createServiceAccount(scope);
    const allowed = withToken(scope, await requestToken(scope, account.name));
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    expect((await whenAllowed(() => allowed.get(path))).status).toBe(200);
    const person = impersonate(scope.api, { user: scope.name('alice') });
    expect((await person.get(path)).status).toBe(403);
  });

  rule('counts every user that is authenticated to system:authenticated', async (scope) => {
    const namespace = await scope.ownNamespace();
    await grant(scope, [group('system:authenticated')], listing, namespace);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const person = impersonate(scope.api, { user: scope.name('alice') });
    expect((await whenAllowed(() => person.get(path))).status).toBe(200);
    const account = await createServiceAccount(scope);
    const robot = withToken(scope, await requestToken(scope, account.name));
    expect((await robot.get(path)).status).toBe(200);
    expect([401, 403]).toContain((await withToken(scope, undefined).get(path)).status);
  });

  rule('grants to service accounts with a ClusterRoleBinding', async (scope) => {
    const account = await createServiceAccount(scope);
    const subject = { kind: 'ServiceAccount', name: account.name, namespace: scope.namespace };
    await grantCluster(scope, [subject], [coreRule(['list'], 'namespaces')]);
    const allowed = withToken(scope, await requestToken(scope, account.name));
    expect((await whenAllowed(() => allowed.get('/api/v1/namespaces'))).status).toBe(200);
    expect((await allowed.get('/api/v1/secrets')).status).toBe(403);
  });
}
