import { defineGroup } from '../suite/case.js';
import { aggregationRules } from './rbac/aggregation.js';
import { escalationRules } from './rbac/escalation.js';
import { forbiddenRules } from './rbac/forbidden.js';
import { grantRules } from './rbac/grants.js';
import { subjectRules } from './rbac/subjects.js';
import { validationRules } from './rbac/validation.js';

export const rbac = defineGroup(
  'rbac',
  { source: 'https://kubernetes.io/docs/reference/access-authn-authz/rbac/' },
  (rule) => {
    forbiddenRules(rule);
    grantRules(rule);
    subjectRules(rule);
    escalationRules(rule);
    aggregationRules(rule);
    validationRules(rule);
  },
);
