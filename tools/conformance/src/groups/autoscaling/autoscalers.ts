import { expect } from 'expect';
import { autoscaler, autoscalers, resourceMetric } from '../../suite/autoscalers.js';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { accepted, asTable, create } from '../../suite/reading.js';
import type { Table } from '../../suite/table.js';

/**
 * Declares the rules about the fields of autoscalers. Source:
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
 */
export function autoscalerRules(rule: Rule): void {
  rule('takes one replica and 80 % of the processor for the defaults of an autoscaler', async (scope) => {
    const name = scope.name('plain');
    const created = await create(scope, autoscalers(scope.namespace), autoscaler(name, 'none'));
    expect(created.spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [resourceMetric('cpu', { type: 'Utilization', averageUtilization: 80 })],
    });
  });

  rule('completes the rules of a behavior', async (scope) => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 30 } };
    const created = await create(
      scope,
      autoscalers(scope.namespace),
      autoscaler(scope.name('behaving'), 'none', { behavior }),
    );
    expect(created.spec?.['behavior']).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: {
        stabilizationWindowSeconds: 30,
        selectPolicy: 'Max',
        policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      },
    });
  });

  rule('refuses ranges and targets that are not valid', async (scope) => {
    const post = (spec: Readonly<Record<string, unknown>>) =>
      scope.api.post(autoscalers(scope.namespace), autoscaler(scope.name('wrong'), 'none', spec));
    expectInvalid(await post({ minReplicas: 6 }), { 'spec.maxReplicas': 'FieldValueInvalid' });
    expectInvalid(await post({ maxReplicas: 0 }), { 'spec.maxReplicas': 'FieldValueInvalid' });
    expectInvalid(await post({ minReplicas: -1 }), { 'spec.minReplicas': 'FieldValueInvalid' });
    expectInvalid(await post({ scaleTargetRef: { kind: '', name: 'a/b' } }), {
      'spec.scaleTargetRef.kind': 'FieldValueRequired',
      'spec.scaleTargetRef.name': 'FieldValueInvalid',
    });
  });

  rule('refuses metrics and behaviors that are not valid', async (scope) => {
    const metrics = [
      { type: 'Resource' },
      resourceMetric('cpu', { type: 'Utilization', averageUtilization: 0 }),
      resourceMetric('memory', { type: 'AverageValue' }),
      { type: 'Pods', pods: { metric: { name: '' }, target: { type: 'Share', averageValue: '1' } } },
      { type: 'Guess' },
    ];
    const scaleUp = { stabilizationWindowSeconds: 3601, selectPolicy: 'Mean' };
    const scaleDown = { policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }] };
    const wrong = autoscaler(scope.name('wrong'), 'none', { metrics, behavior: { scaleUp, scaleDown } });
    expectInvalid(await scope.api.post(autoscalers(scope.namespace), wrong), {
      'spec.metrics[0].resource': 'FieldValueRequired',
      'spec.metrics[1].resource.target.averageUtilization': 'FieldValueInvalid',
      'spec.metrics[2].resource.target.averageUtilization': 'FieldValueRequired',
      'spec.metrics[3].pods.metric.name': 'FieldValueRequired',
      'spec.metrics[3].pods.target.type': 'FieldValueInvalid',
      'spec.metrics[4].type': 'FieldValueNotSupported',
      'spec.behavior.scaleUp.stabilizationWindowSeconds': 'FieldValueInvalid',
      'spec.behavior.scaleUp.selectPolicy': 'FieldValueNotSupported',
      'spec.behavior.scaleDown.policies[0].value': 'FieldValueInvalid',
      'spec.behavior.scaleDown.policies[0].periodSeconds': 'FieldValueInvalid',
    });
  });

  rule('serves an autoscaler in autoscaling/v1 with its share of the processor', async (scope) => {
    const name = scope.name('both');
    const metrics = [resourceMetric('cpu', { type: 'Utilization', averageUtilization: 60 })];
    await create(scope, autoscalers(scope.namespace), autoscaler(name, 'none', { metrics }));
    const first = accepted(await scope.api.get(`${autoscalers(scope.namespace, 'v1')}/${name}`));
    expect(first).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
    });
    const path = `${autoscalers(scope.namespace, 'v1')}/${name}`;
    accepted(await scope.api.patch(path, 'merge', { spec: { targetCPUUtilizationPercentage: 70 } }));
    const second = accepted(await scope.api.get(`${autoscalers(scope.namespace)}/${name}`));
    expect(second.spec?.['metrics']).toEqual([
      resourceMetric('cpu', { type: 'Utilization', averageUtilization: 70 }),
    ]);
  });

  rule('shows the target, the metrics and the range of an autoscaler in a table', async (scope) => {
    const name = scope.name('shown');
    const metrics = [
      resourceMetric('cpu', { type: 'Utilization', averageUtilization: 60 }),
      resourceMetric('memory', { type: 'AverageValue', averageValue: '100Mi' }),
      {
        type: 'Pods',
        pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '5' } },
      },
    ];
    await create(scope, autoscalers(scope.namespace), autoscaler(name, 'none', { metrics }));
    const { body } = await scope.api.get(`${autoscalers(scope.namespace)}/${name}`, { accept: asTable });
    const table = body as unknown as Table;
    const names = table.columnDefinitions.map((one) => one.name);
    expect(names).toEqual(['Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age']);
    const targets = 'cpu: <unknown>/60%, memory: <unknown>/100Mi + 1 more...';
    expect(table.rows?.[0]?.cells.slice(0, 3)).toEqual([name, 'Deployment/none', targets]);
  });
}
