import { defineGroup } from '../suite/case.js';
import { bindingRules } from './admission-policies/bindings.js';
import { definitionRules } from './admission-policies/definitions.js';
import { expressionRules } from './admission-policies/expressions.js';
import { matchRules } from './admission-policies/matching.js';
import { parameterRules } from './admission-policies/parameters.js';

export const admissionPolicies = defineGroup(
  'admission-policies',
  { source: 'https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/' },
  (rule) => {
    definitionRules(rule);
    expressionRules(rule);
    matchRules(rule);
    bindingRules(rule);
    parameterRules(rule);
  },
);
