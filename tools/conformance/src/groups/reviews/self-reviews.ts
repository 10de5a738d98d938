import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { eventually, impersonate } from '../../suite/callers.js';
import type { Answer } from '../../suite/api.js';
import { coreRule, grant, grantCluster, user, type Rule as PolicyRule } from '../../suite/rbac.js';
import { reviewOwnRules, reviewSelf, whoIs } from '../../suite/reviews.js';

interface Rules {
  resourceRules: PolicyRule[];
  nonResourceRules: PolicyRule[];
  incomplete: boolean;
}

const rulesOf = ({ body }: Answer): Rules => body.status as Rules;

/** Declares the rules about self reviews. */
export function selfReviewRules(rule: Rule): void {
  rule(
    'lists in a SelfSubjectRulesReview the rules that apply to the caller in the namespace',
    async (scope) => {
      const [alice, path] = [scope.name('alice'), `/${scope.name('path')}`];
      const limited = { ...coreRule(['get'], 'secrets'), resourceNames: ['mine'] };
      await grant(scope, [user(alice)], [coreRule(['get', 'list'], 'configmaps'), limited]);
      await grantCluster(scope, [user(alice)], [{ verbs: ['get'], nonResourceURLs: [path] }]);
      const caller = impersonate(scope.api, { user: alice });
      const holds = (answer: Answer): boolean =>
        rulesOf(answer).resourceRules.some(({ resources }) => resources?.includes('configmaps')) &&
        rulesOf(answer).nonResourceRules.some(({ nonResourceURLs }) => nonResourceURLs?.includes(path));
      const answer = await eventually(() => reviewOwnRules(caller, scope.namespace), holds);
      expect(answer.status).toBe(201);
      const { resourceRules, nonResourceRules, incomplete } = rulesOf(answer);
      expect(resourceRules).toContainEqual(coreRule(['get', 'list'], 'configmaps'));
      expect(resourceRules).toContainEqual(limited);
      expect(nonResourceRules).toContainEqual({ verbs: ['get'], nonResourceURLs: [path] });
      expect(typeof incomplete).toBe('boolean');
      const elsewhere = await reviewOwnRules(caller, await scope.ownNamespace());
      expect(rulesOf(elsewhere).resourceRules).not.toContainEqual(limited);
      expect(rulesOf(elsewhere).nonResourceRules).toContainEqual({ verbs: ['get'], nonResourceURLs: [path] });
    },
  );

  rule('answers a SelfSubjectReview with user name, uid, groups and extra of the caller', async (scope) => {
    const [alice, team] = [scope.name('alice'), scope.name('team')];
    const person = { user: alice, uid: 'abc-123', groups: [team], extra: { scopes: 'view' } };
    const answer = await reviewSelf(impersonate(scope.api, person));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' });
    expect(answer.body.status).toMatchObject({
      userInfo: {
        username: alice,
        uid: 'abc-123',
        groups: [team, 'system:authenticated'],
        extra: { scopes: ['view'] },
      },
    });
    expect((await whoIs(scope.api)).username).not.toBe(alice);
  });
}
