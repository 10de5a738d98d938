import { isObject } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';
import type { RbacAuthorizer } from './rbac-authorizer.js';
import type { Attributes } from './rbac-types.js';
import { invalid } from './status.js';
import { userInfo, type User } from './users.js';

const group = 'authorization.k8s.io';

/** The spec of a SubjectAccessReview; the self review has no user and no groups. */
interface ReviewSpec {
  resourceAttributes?: {
    verb?: string;
    group?: string;
    resource?: string;
    subresource?: string;
    name?: string;
    namespace?: string;
  };
  nonResourceAttributes?: { verb?: string; path?: string };
  user?: string;
  groups?: string[];
}

export type AccessReviewKind = 'SelfSubjectAccessReview' | 'SubjectAccessReview' | 'LocalSubjectAccessReview';

/**
 * Answers an access review of authorization.k8s.io/v1: its `status`, or a 422 Status. A self review is about `user`,
 * other reviews are about the user in their spec. A local review applies only to its own namespace. Source:
 * Kubernetes pkg/apis/authorization/validation.
 */
export function reviewAccess(
  authorizer: RbacAuthorizer,
  user: User,
  kind: AccessReviewKind,
  spec: JsonObject,
  { namespace = '', ...metadata }: JsonObject = {},
): { status: JsonObject } | { failure: JsonObject } {
  const self = kind === 'SelfSubjectAccessReview';
  const { user: username = '', groups = [], ...asked } = spec as ReviewSpec;
  const causes = [...checkAttributes(spec)];
  if (!self && username === '' && groups.length === 0) {
    causes.push(cause('spec.user', '""', 'at least one of user or group must be specified'));
  }
  const local = kind === 'LocalSubjectAccessReview';
  causes.push(...checkMetadata(metadata, local));
  if (local) causes.push(...checkLocal(spec, String(namespace)));
  if (causes.length > 0) return { failure: invalid(kind, group, '', causes) };
  const { allowed, reason } = authorizer.authorize(self ? user : { username, groups }, attributesOf(asked));
  return { status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function* checkAttributes({ resourceAttributes, nonResourceAttributes }: JsonObject): Generator<Cause> {
  const [resource, path] = [isObject(resourceAttributes), isObject(nonResourceAttributes)];
  if (resource && path) {
    const value = JSON.stringify(nonResourceAttributes);
    yield cause(
      'spec.nonResourceAttributes',
      value,
      'cannot be specified in combination with resourceAttributes',
    );
  } else if (!resource && !path) {
    const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    yield cause('spec.resourceAttributes', 'null', rule);
  }
}

function* checkMetadata(
  { managedFields: _fields, ...metadata }: JsonObject,
  local: boolean,
): Generator<Cause> {
  if (Object.keys(metadata).length === 0) return;
  const rule = local ? 'must be empty except for namespace' : 'must be empty';
  yield cause('metadata', JSON.stringify(metadata), rule);
}

function* checkLocal(
  { resourceAttributes, nonResourceAttributes }: JsonObject,
  namespace: string,
): Generator<Cause> {
  const asked = isObject(resourceAttributes) ? (resourceAttributes['namespace'] ?? '') : namespace;
  if (asked !== namespace) {
    yield cause('spec.resourceAttributes.namespace', JSON.stringify(asked), 'must match metadata.namespace');
  }
  if (isObject(nonResourceAttributes)) {
    const value = JSON.stringify(nonResourceAttributes);
    yield cause('spec.nonResourceAttributes', value, 'disallowed on this kind of request');
  }
}

function cause(field: string, value: string, rule: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${rule}`, field };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec): Attributes {
  if (nonResourceAttributes) {
    const { verb = '', path = '' } = nonResourceAttributes;
    return { verb, path };
  }
  const { verb = '', group = '', resource = '', ...others } = resourceAttributes ?? {};
  return { verb, group, resource, ...others };
}

/** Returns the `status` of a SelfSubjectRulesReview: what the user may do in a namespace. */
export function reviewRules(authorizer: RbacAuthorizer, user: User, namespace: string): JsonObject {
  const rules = authorizer.rulesFor(user, namespace);
  return {
    resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames }) =>
      resources.length === 0
        ? []
        : [{ verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
  };
}

/** Returns the `status` of a SelfSubjectReview: who the user is. */
export function reviewSelf(user: User): JsonObject {
  return { userInfo: userInfo(user) };
}
