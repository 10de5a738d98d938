import { expect } from 'expect';
import { awaitStatus, createBudget, createReady, type BudgetStatus } from '../../suite/budgets.js';
import type { Rule } from '../../suite/case.js';
import { referenceTo } from '../../suite/owners.js';
import { running, setStatus } from '../../suite/running-pods.js';
import { accepted, create } from '../../suite/reading.js';
import { deployment, deployments } from '../../suite/workloads.js';

/** Declares the rules about the status of a PodDisruptionBudget. */
export function budgetRules(rule: Rule): void {
  rule(
    'allows as many disruptions as pods are ready beyond the minimum',
    async (scope) => {
      const { app } = await createReady(scope, 3);
      const path = await createBudget(scope, app, { minAvailable: 2 }, { disruptionsAllowed: 1 });
      const { body } = await scope.api.get(path);
      expect(body.status).toMatchObject({ currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
      expect((body.status as BudgetStatus).conditions).toMatchObject([
        { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' },
      ]);
    },
    'controllers',
  );

  rule(
    'allows no disruption while a pod that is required is not ready',
    async (scope) => {
      const { app, pods } = await createReady(scope, 2);
      const path = await createBudget(scope, app, { minAvailable: 1 }, { disruptionsAllowed: 1 });
      const [pod] = pods;
      if (pod === undefined) throw new Error('a pod is missing');
      await setStatus(scope, pod, running({ ready: false }));
      const after = await awaitStatus(scope, path, { disruptionsAllowed: 0, currentHealthy: 1 });
      expect((after.status as BudgetStatus).conditions).toMatchObject([
        { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' },
      ]);
      await setStatus(scope, pod, running());
      await awaitStatus(scope, path, { disruptionsAllowed: 1, currentHealthy: 2 });
    },
    'controllers',
  );

  rule(
    'counts a share of the replicas that the controllers of the pods are to have',
    async (scope) => {
      const name = scope.name('owner');
      const owner = await create(
        scope,
        deployments(scope.namespace),
        deployment(name, {
          replicas: 4,
          selector: { matchLabels: { owned: name } },
          template: template(name),
        }),
      );
      const ownerReferences = [referenceTo(owner, { controller: true })];
      await createReady(scope, 3, { metadata: { ownerReferences, labels: { app: name } } });
      const share = { expectedPods: 4, currentHealthy: 3 };
      await createBudget(
        scope,
        name,
        { maxUnavailable: '50%' },
        { ...share, desiredHealthy: 2, disruptionsAllowed: 1 },
      );
      await createBudget(
        scope,
        name,
        { minAvailable: '60%' },
        { ...share, desiredHealthy: 3, disruptionsAllowed: 0 },
      );
    },
    'controllers',
  );

  rule(
    'follows a change of the budget',
    async (scope) => {
      const { app } = await createReady(scope, 2);
      const path = await createBudget(scope, app, { minAvailable: 2 }, { disruptionsAllowed: 0 });
      accepted(await scope.api.patch(path, 'merge', { spec: { minAvailable: 0 } }));
      const after = await awaitStatus(scope, path, { disruptionsAllowed: 2, desiredHealthy: 0 });
      expect(after.metadata.generation).toBe(2);
    },
    'controllers',
  );

  rule(
    'allows no disruption of pods that do not exist',
    async (scope) => {
      const app = scope.name('none');
      const none = { disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 0 };
      await createBudget(scope, app, { maxUnavailable: 1 }, none);
    },
    'controllers',
  );

  rule(
    'keeps the status of a budget from writes of its spec',
    async (scope) => {
      const { app } = await createReady(scope, 1);
      const status = { disruptionsAllowed: 0 };
      const path = await createBudget(scope, app, { minAvailable: 1 }, status);
      const patch = { status: { disruptionsAllowed: 7 }, metadata: { labels: { touched: 'yes' } } };
      const { body } = await scope.api.patch(path, 'merge', patch);
      expect(body.metadata.labels).toEqual({ touched: 'yes' });
      expect(body.status).toMatchObject(status);
    },
    'controllers',
  );
}

const template = (name: string): object => ({
  metadata: { labels: { owned: name } },
  spec: { containers: [{ name: 'app', image: 'example.com/pause:1.0' }] },
});
