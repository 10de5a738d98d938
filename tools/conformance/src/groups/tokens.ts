import { defineGroup } from '../suite/case.js';
import { issuingRules } from './tokens/issuing.js';
import { podRules } from './tokens/pods.js';
import { validityRules } from './tokens/validity.js';

export const tokens = defineGroup(
  'tokens',
  {
    source:
      'https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens',
  },
  (rule) => {
    issuingRules(rule);
    validityRules(rule);
    podRules(rule);
  },
);
