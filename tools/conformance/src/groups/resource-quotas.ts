import { defineGroup } from '../suite/case.js';
import { chargingRules } from './resource-quotas/charging.js';
import { countingRules } from './resource-quotas/counting.js';
import { quotaObjectRules } from './resource-quotas/objects.js';
import { scopeRules } from './resource-quotas/scopes.js';

export const resourceQuotas = defineGroup(
  'resource-quotas',
  {
    source: 'https://kubernetes.io/docs/concepts/policy/resource-quotas/',
    needs: ['core', 'controllers'],
  },
  (rule) => {
    quotaObjectRules(rule);
    chargingRules(rule);
    countingRules(rule);
    scopeRules(rule);
  },
);
