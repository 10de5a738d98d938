import { expect } from 'expect';
import { autoscaler, autoscalers } from '../../suite/autoscalers.js';
import type { Body } from '../../suite/body.js';
import type { Rule } from '../../suite/case.js';
import { create } from '../../suite/reading.js';
import type { Scope } from '../../suite/scope.js';
import { deployment, deployments } from '../../suite/workloads.js';

interface Condition {
  type: string;
  status: string;
  reason: string;
}

function conditionOf({ status }: Body, type: string): Condition | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  return conditions.find((one) => one.type === type);
}

/** Creates a Deployment and an autoscaler for it. @returns their paths. */
async function scaled(
  scope: Scope,
  replicas: number,
  spec: Readonly<Record<string, unknown>>,
): Promise<{ target: string; path: string }> {
  const name = scope.name('scaled');
  await create(scope, deployments(scope.namespace), deployment(name, { replicas }));
  scope.deleteAfterwards(`${deployments(scope.namespace)}/${name}`);
  await create(scope, autoscalers(scope.namespace), autoscaler(name, name, spec));
  const path = `${autoscalers(scope.namespace)}/${name}`;
  scope.deleteAfterwards(path);
  return { target: `${deployments(scope.namespace)}/${name}`, path };
}

/** Rules about the controller that do not require metrics. The controller acts every 15 seconds. */
export function scalingRules(rule: Rule): void {
  rule(
    'scales a target into the range of its autoscaler',
    async (scope) => {
      const few = await scaled(scope, 1, { minReplicas: 3 });
      const many = await scaled(scope, 9, { maxReplicas: 5 });
      const replicas = (count: number) => (answer: { body: Body }) =>
        answer.body.spec?.['replicas'] === count;
      await scope.eventually(few.target, replicas(3));
      await scope.eventually(many.target, replicas(5));
      const { body } = await scope.eventually(few.path, (answer) => {
        const { desiredReplicas } = (answer.body.status ?? {}) as { desiredReplicas?: number };
        return desiredReplicas === 3;
      });
      expect(conditionOf(body, 'AbleToScale')).toMatchObject({ status: 'True' });
      expect(body.status).toMatchObject({ lastScaleTime: expect.any(String) });
    },
    'controllers',
  );

  rule(
    'reports that a target without replicas is not scaled',
    async (scope) => {
      const { target, path } = await scaled(scope, 0, {});
      const { body } = await scope.eventually(path, (answer) => {
        return conditionOf(answer.body, 'ScalingActive') !== undefined;
      });
      expect(conditionOf(body, 'ScalingActive')).toMatchObject({
        status: 'False',
        reason: 'ScalingDisabled',
      });
      expect((await scope.api.get(target)).body.spec?.['replicas']).toBe(0);
    },
    'controllers',
  );

  rule(
    'reports that a target does not exist',
    async (scope) => {
      const name = scope.name('lost');
      await create(scope, autoscalers(scope.namespace), autoscaler(name, name));
      const path = `${autoscalers(scope.namespace)}/${name}`;
      scope.deleteAfterwards(path);
      const { body } = await scope.eventually(path, (answer) => {
        return conditionOf(answer.body, 'AbleToScale') !== undefined;
      });
      expect(conditionOf(body, 'AbleToScale')).toMatchObject({ status: 'False', reason: 'FailedGetScale' });
    },
    'controllers',
  );
}
