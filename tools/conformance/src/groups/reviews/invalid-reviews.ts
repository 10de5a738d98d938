import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import {
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewToken,
} from '../../suite/reviews.js';

/** Declares the rules about invalid reviews. */
export function invalidReviewRules(rule: Rule): void {
  const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'pods' };
  const nonResourceAttributes = { path: '/healthz', verb: 'get' };

  rule('requires resourceAttributes or nonResourceAttributes in a review, and not both', async (scope) => {
    const user = scope.name('alice');
    const neither = await reviewAccess(scope.api, { user });
    expectInvalid(neither, { 'spec.resourceAttributes': 'FieldValueInvalid' });
    const both = await reviewAccess(scope.api, { user, resourceAttributes, nonResourceAttributes });
    expectInvalid(both, { 'spec.nonResourceAttributes': 'FieldValueInvalid' });
    expect(both.body.message).toContain('cannot be specified in combination with resourceAttributes');
    expectInvalid(await reviewOwnAccess(scope.api, {}), { 'spec.resourceAttributes': 'FieldValueInvalid' });
    const self = await reviewOwnAccess(scope.api, { resourceAttributes, nonResourceAttributes });
    expectInvalid(self, { 'spec.nonResourceAttributes': 'FieldValueInvalid' });
    expect((await reviewOwnAccess(scope.api, { nonResourceAttributes })).status).toBe(201);
    expect((await reviewAccess(scope.api, { user, resourceAttributes })).status).toBe(201);
  });

  rule('requires a user or groups in a SubjectAccessReview', async (scope) => {
    const refused = await reviewAccess(scope.api, { resourceAttributes });
    expectInvalid(refused, { 'spec.user': 'FieldValueInvalid' });
    expect(refused.body.message).toContain('at least one of user or group must be specified');
    const accepted = await reviewAccess(scope.api, { groups: ['team'], resourceAttributes });
    expect(accepted.status).toBe(201);
  });

  rule('refuses metadata in a SubjectAccessReview', async (scope) => {
    const spec = { user: scope.name('alice'), resourceAttributes };
    const refused = await reviewAccess(scope.api, spec, { labels: { app: 'x' } });
    expectInvalid(refused, { metadata: 'FieldValueInvalid' });
    expect((await reviewAccess(scope.api, spec)).status).toBe(201);
  });

  rule('refuses a LocalSubjectAccessReview about another namespace or a path', async (scope) => {
    const user = scope.name('alice');
    const elsewhere = await reviewLocalAccess(scope.api, scope.namespace, { user, resourceAttributes });
    expectInvalid(elsewhere, { 'spec.resourceAttributes.namespace': 'FieldValueInvalid' });
    const path = await reviewLocalAccess(scope.api, scope.namespace, { user, nonResourceAttributes });
    expectInvalid(path, { 'spec.nonResourceAttributes': 'FieldValueInvalid' });
    const here = { ...resourceAttributes, namespace: scope.namespace };
    const accepted = await reviewLocalAccess(scope.api, scope.namespace, { user, resourceAttributes: here });
    expect(accepted.status).toBe(201);
  });

  rule('requires a namespace in a SelfSubjectRulesReview', async (scope) => {
    const { status, body } = await reviewOwnRules(scope.api);
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'BadRequest' });
    expect(body.message).toContain('no namespace on request');
    expect((await reviewOwnRules(scope.api, scope.namespace)).status).toBe(201);
  });

  rule('requires a token in a TokenReview', async (scope) => {
    const { status, body } = await reviewToken(scope.api, {});
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'BadRequest' });
    expect((await reviewToken(scope.api, { token: 'x' })).status).toBe(201);
  });
}
