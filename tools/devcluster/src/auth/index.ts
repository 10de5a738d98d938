export { reviewAccess, reviewRules, reviewSelf, type AccessReviewKind } from './access-review.js';
export { aggregateRules } from './aggregation.js';
export { authenticator, type Authenticator } from './authenticate.js';
export { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './bootstrap-roles.js';
export { createCertificates, ensureCertificates, type Certificates } from './certificates.js';
export { checkEscalation } from './escalation.js';
export { forbidden, forbiddenRequest } from './forbidden.js';
export { RbacAuthorizer } from './rbac-authorizer.js';
export {
  rbacObject,
  type Attributes,
  type Binding,
  type Decision,
  type PolicyRule,
  type RbacObject,
  type Role,
} from './rbac-types.js';
export {
  serviceAccountTokens,
  type ServiceAccountTokens,
  type TokenOptions,
  type TokenSubject,
} from './service-account-tokens.js';
export { answerTokenRequest, type TokenRequestContext, type TokenRequestSpec } from './token-request.js';
export { adminUser, anonymous, userInfo, type User } from './users.js';
