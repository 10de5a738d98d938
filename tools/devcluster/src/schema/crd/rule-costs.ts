import { RuleAdmission } from './cel-rules.js';
import type { RuleCost } from './cel-rules.js';
import type { CustomResourceDefinition } from './model.js';
import { checkSchemaRules } from './schema-rules.js';

/**
 * Returns the costs that the API server estimates for each rule and message expression of a valid
 * CustomResourceDefinition (apiextensions.k8s.io/v1), the most expensive first; one entry for each version.
 */
export function ruleCosts(
  crd: CustomResourceDefinition,
): { version: string; rules: RuleCost[]; total: number }[] {
  return (crd.spec?.versions ?? []).map(({ name = '', schema }) => {
    const root = schema?.openAPIV3Schema ?? {};
    const admission = new RuleAdmission(root, true);
    checkSchemaRules(root, '', admission);
    const rules = [...admission.costs].sort((a, b) => b.cost - a.cost);
    return { version: name, rules, total: rules.reduce((sum, { cost }) => sum + cost, 0) };
  });
}
