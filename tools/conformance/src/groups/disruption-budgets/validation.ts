import { expect } from 'expect';
import { budget, budgets } from '../../suite/budgets.js';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { asTable, create } from '../../suite/reading.js';
import type { Table } from '../../suite/table.js';

/**
 * Declares the rules about the fields of PodDisruptionBudgets. Source:
 * https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/
 */
export function validationRules(rule: Rule): void {
  rule('refuses a budget with both a minimum and a maximum', async (scope) => {
    const both = budget(scope.name('both'), 'web', { minAvailable: 1, maxUnavailable: 1 });
    const refused = await scope.api.post(budgets(scope.namespace), both);
    expectInvalid(refused, { spec: 'FieldValueInvalid' });
    expect(refused.body.message).toContain('minAvailable and maxUnavailable cannot be both set');
  });

  rule('refuses budgets that are not counts or percentages of pods', async (scope) => {
    for (const value of [-1, '101%', 'half']) {
      for (const field of ['minAvailable', 'maxUnavailable']) {
        const wrong = budget(scope.name('wrong'), 'web', { [field]: value });
        const refused = await scope.api.post(budgets(scope.namespace), wrong);
        expectInvalid(refused, { [`spec.${field}`]: 'FieldValueInvalid' });
      }
    }
  });

  rule(
    'refuses an unknown policy for unhealthy pods, and a selector with an unknown operator',
    async (scope) => {
      const wrong = budget(scope.name('wrong'), 'web', {
        minAvailable: 1,
        unhealthyPodEvictionPolicy: 'Never',
        selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] },
      });
      expectInvalid(await scope.api.post(budgets(scope.namespace), wrong), {
        'spec.unhealthyPodEvictionPolicy': 'FieldValueNotSupported',
        'spec.selector.matchExpressions[0].operator': 'FieldValueInvalid',
      });
    },
  );

  rule('shows the limits of a budget in a table', async (scope) => {
    const name = scope.name('shown');
    await create(scope, budgets(scope.namespace), budget(name, name, { maxUnavailable: '20%' }));
    const { body } = await scope.api.get(`${budgets(scope.namespace)}/${name}`, { accept: asTable });
    const table = body as unknown as Table;
    const names = table.columnDefinitions.filter(({ priority }) => priority === 0).map((one) => one.name);
    expect(names).toEqual(['Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions', 'Age']);
    expect(table.rows?.[0]?.cells.slice(0, 4)).toEqual([name, 'N/A', '20%', 0]);
  });
}
