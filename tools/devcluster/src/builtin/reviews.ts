import { reviewAccess, reviewRules, reviewSelf, type AccessReviewKind } from '../auth/index.js';
import { badRequest, fromStatus } from '../api/api-error.js';
import { decodeObject } from '../api/decode.js';
import { tracked } from '../api/finish-object.js';
import { objectAt, textAt, textsAt, type KubeObject } from '../object.js';
import type { Call, Resource } from '../registry/resource.js';
import { boolean, list, map, object, string } from '../schema/dsl.js';
import type { JsonObject, Schema } from '../schema/types.js';
import { defineKind } from './define.js';

const userInfo = object({
  username: string('Name of the user.'),
  uid: string('Unique id of the user.'),
  groups: list(string(), 'Groups of the user.'),
  extra: map(list(string()), 'Whatever else the authenticator knows.'),
});

const attributes = {
  resourceAttributes: object({
    namespace: string('Empty for the cluster scope.'),
    verb: string('get, list, create, …; * is all.'),
    group: string('API group.'),
    version: string('API version.'),
    resource: string('Plural name.'),
    subresource: string('Subresource.'),
    name: string('Empty for all names.'),
  }),
  nonResourceAttributes: object({ path: string('URL path.'), verb: string('HTTP method in lower case.') }),
};

const accessStatus = object({
  allowed: boolean('Whether the user may do it.'),
  denied: boolean('Whether it is forbidden for good.'),
  reason: string('Why.'),
  evaluationError: string('What kept the check from being complete.'),
});

/** Returns a kind whose objects are never stored: the response to their creation contains the result. */
function review(
  group: string,
  kind: string,
  plural: string,
  schema: Schema,
  status: (call: Call, object: KubeObject) => JsonObject,
  namespaced = false,
): Resource {
  return defineKind({
    group,
    kind,
    plural,
    namespaced,
    verbs: ['create'],
    schema,
    answer: (call) => {
      const { object: decoded, warnings } = decodeObject(call.body, call.resource, 'Warn');
      for (const warning of warnings) call.context.warn(warning);
      const sent = withoutEmptyName(decoded);
      const { manager } = call.context;
      const written = tracked(call.resource, undefined, sent, {
        manager,
        subresource: undefined,
        now: call.cluster.now(),
      });
      return { code: 201, object: { ...withoutEmptyName(written), status: status(call, sent) } };
    },
  });
}

/** Reviews have no name; an empty one is not shown. */
function withoutEmptyName({ metadata, status: _status, ...rest }: KubeObject): KubeObject {
  const { name, ...others } = metadata;
  return { ...rest, metadata: (name === '' ? others : metadata) as KubeObject['metadata'] };
}

function access(kind: AccessReviewKind): (call: Call, object: KubeObject) => JsonObject {
  return ({ cluster, context, namespace }, sent) => {
    const metadata = { ...objectAt(sent, 'metadata'), namespace };
    const answer = reviewAccess(cluster.rbac, context.user, kind, objectAt(sent, 'spec'), metadata);
    if ('failure' in answer) throw fromStatus(answer.failure);
    return answer.status;
  };
}

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';

const subjectSpec = object(
  {
    ...attributes,
    user: string('Whom the question is about.'),
    groups: list(string(), 'Groups of the user.'),
    uid: string('UID of the user.'),
    extra: map(list(string()), 'Extra of the user.'),
  },
  { default: {} },
);

function tokenStatus({ cluster }: Call, sent: KubeObject): JsonObject {
  const spec = objectAt(sent, 'spec');
  if (textAt(spec, 'token') === '') throw badRequest('token is required for TokenReview in authentication');
  return cluster.authenticator.reviewToken({
    token: textAt(spec, 'token'),
    audiences: textsAt(spec, 'audiences'),
  });
}

function rulesStatus({ cluster, context }: Call, sent: KubeObject): JsonObject {
  const namespace = textAt(sent, 'spec', 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  return reviewRules(cluster.rbac, context.user, namespace);
}

/** authorization.k8s.io/v1 and authentication.k8s.io/v1. */
export const reviewKinds: readonly Resource[] = [
  review(
    authentication,
    'SelfSubjectReview',
    'selfsubjectreviews',
    object({ status: object({ userInfo }) }, 'Who am I?'),
    ({ context }) => reviewSelf(context.user),
  ),
  review(
    authentication,
    'TokenReview',
    'tokenreviews',
    object(
      {
        spec: object(
          { token: string('The token.'), audiences: list(string(), 'For whom.') },
          { default: {} },
        ),
        status: object({
          authenticated: boolean('Whether the token is valid.'),
          user: userInfo,
          audiences: list(string(), 'For whom the token is.'),
          error: string('Why it is not valid.'),
        }),
      },
      'Whose token is this?',
    ),
    tokenStatus,
  ),
  review(
    authorization,
    'LocalSubjectAccessReview',
    'localsubjectaccessreviews',
    object({ spec: subjectSpec, status: accessStatus }, 'May they, in this namespace?'),
    access('LocalSubjectAccessReview'),
    true,
  ),
  review(
    authorization,
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
    object({ spec: object(attributes, { default: {} }), status: accessStatus }, 'May I?'),
    access('SelfSubjectAccessReview'),
  ),
  review(
    authorization,
    'SelfSubjectRulesReview',
    'selfsubjectrulesreviews',
    object({ spec: object({ namespace: string('Where.') }, { default: {} }) }, 'What may I do?'),
    rulesStatus,
  ),
  review(
    authorization,
    'SubjectAccessReview',
    'subjectaccessreviews',
    object({ spec: subjectSpec, status: accessStatus }, 'May they?'),
    access('SubjectAccessReview'),
  ),
];
