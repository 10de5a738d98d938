import { defineGroup } from '../suite/case.js';
import { evictionRules } from './disruption-budgets/evictions.js';
import { budgetRules } from './disruption-budgets/status.js';
import { validationRules } from './disruption-budgets/validation.js';

export const disruptionBudgets = defineGroup(
  'disruption-budgets',
  { source: 'https://kubernetes.io/docs/tasks/run-application/configure-pdb/' },
  (rule) => {
    validationRules(rule);
    budgetRules(rule);
    evictionRules(rule);
  },
);
