import { defineGroup, type Rule } from '../suite/case.js';
import { webhookStarter } from '../suite/webhooks.js';
import { configurationRules } from './admission-webhooks/configurations.js';
import { customResourceRules } from './admission-webhooks/custom-resources.js';
import { failureRules } from './admission-webhooks/failures.js';
import { matchingRules } from './admission-webhooks/matching.js';
import { mutatingRules } from './admission-webhooks/mutating.js';
import { requestRules } from './admission-webhooks/requests.js';
import { validatingRules } from './admission-webhooks/validating.js';

export const admissionWebhooks = defineGroup(
  'admission-webhooks',
  { source: 'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/' },
  (rule) => {
    configurationRules(rule);
    const start = webhookStarter();
    const calling: Rule = (name, run, ...needs) => rule(name, run, 'webhooks', ...needs);
    validatingRules(calling, start);
    mutatingRules(calling, start);
    requestRules(calling, start);
    matchingRules(calling, start);
    customResourceRules(calling, start);
    failureRules(calling, start);
  },
);
