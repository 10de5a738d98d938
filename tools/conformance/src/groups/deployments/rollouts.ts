import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import {
  createDeployment,
  existing,
  imagePatch,
  makeReady,
  rollOut,
  sizeOf,
  untilCondition,
  untilPods,
  untilSizes,
  untilStatus,
} from '../../suite/controlled.js';

const revision = 'deployment.kubernetes.io/revision';
const rolling = (maxSurge: number | string, maxUnavailable: number | string): object => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

/**
 * Declares the rules about rollouts. Source:
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#updating-a-deployment
 */
export function rolloutRules(rule: Rule): void {
  rule(
    'adds pods up to maxSurge and removes old ones only as new ones are available',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 2, strategy: rolling(1, 0) });
      const { name, path } = deployment;
      await rollOut(scope, deployment);
      await scope.api.patch(path, 'strategic', imagePatch('2.0'));
      const sets = await untilSizes(scope, name, 2, 1);
      const newest = sets.find(({ metadata }) => metadata.annotations?.[revision] === '2');
      expect(newest && sizeOf(newest)).toBe(1);
      await untilStatus(scope, path, { replicas: 3, updatedReplicas: 1, availableReplicas: 2 });
      const hash = newest?.metadata.labels?.['pod-template-hash'] ?? '';
      await makeReady(scope, await untilPods(scope, `pod-template-hash=${hash},app=${name}`, 1));
      await untilStatus(scope, path, { updatedReplicas: 2 });
      await rollOut(scope, deployment);
      await untilSizes(scope, name, 2, 0);
    },
    'controllers',
  );

  rule(
    'rounds a percentage of maxSurge up and one of maxUnavailable down',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 3, strategy: rolling('25%', '25%') });
      await rollOut(scope, deployment);
      await scope.api.patch(deployment.path, 'strategic', imagePatch('2.0'));
      await untilSizes(scope, deployment.name, 3, 1);
      await untilStatus(scope, deployment.path, {
        replicas: 4,
        availableReplicas: 3,
        unavailableReplicas: 1,
      });
    },
    'controllers',
  );

  rule(
    'scales the ReplicaSets of a rollout that is under way in proportion to their sizes',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 10, strategy: rolling(3, 2) });
      const { name, path } = deployment;
      await rollOut(scope, deployment);
      await scope.api.patch(path, 'strategic', imagePatch('2.0'));
      await untilSizes(scope, name, 8, 5);
      await untilStatus(scope, path, { replicas: 13, updatedReplicas: 5, availableReplicas: 8 });
      await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 15 } });
      await untilSizes(scope, name, 11, 7);
    },
    'controllers',
  );

  rule(
    'creates new pods of a Recreate only when the old ones are gone',
    async (scope) => {
      const deployment = await createDeployment(scope, { strategy: { type: 'Recreate' } });
      const { name, path } = deployment;
      await rollOut(scope, deployment);
      const before = await untilPods(scope, `app=${name}`, 2);
      const hold = 'conformance.example/hold';
      const held = scope.core('pods', existing(before[0]).metadata.name);
      await scope.api.patch(held, 'merge', { metadata: { finalizers: [hold] } });
      scope.cleanup((api) => api.patch(held, 'merge', { metadata: { finalizers: null } }));
      await scope.api.patch(path, 'strategic', imagePatch('2.0'));
      await scope.eventually(held, ({ body }) => body.metadata.deletionTimestamp !== undefined);
      await untilPods(scope, `app=${name}`, 0);
      await untilSizes(scope, name, 0);
      await scope.api.patch(held, 'merge', { metadata: { finalizers: null } });
      await untilSizes(scope, name, 0, 2);
      await untilPods(scope, `app=${name}`, 2);
    },
    'controllers',
  );

  rule(
    'takes the old ReplicaSet again, under a new revision, when the template goes back',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 1 });
      const { name, path } = deployment;
      await rollOut(scope, deployment);
      const [first] = await untilSizes(scope, name, 1);
      await scope.api.patch(path, 'strategic', imagePatch('2.0'));
      await rollOut(scope, deployment);
      await scope.api.patch(path, 'strategic', imagePatch('1.0'));
      await rollOut(scope, deployment);
      const sets = await untilSizes(scope, name, 1, 0);
      const again = sets.find(({ metadata }) => metadata.uid === first?.metadata.uid);
      expect(again).toMatchObject({
        metadata: { annotations: { [revision]: '3', [`${revision}-history`]: '1' } },
        spec: { replicas: 1 },
      });
      await scope.eventually(path, ({ body }) => body.metadata.annotations?.[revision] === '3');
    },
    'controllers',
  );

  rule(
    'deletes old ReplicaSets beyond revisionHistoryLimit',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 1, revisionHistoryLimit: 1 });
      for (const tag of ['2.0', '3.0']) {
        await rollOut(scope, deployment);
        await scope.api.patch(deployment.path, 'strategic', imagePatch(tag));
      }
      await rollOut(scope, deployment);
      const sets = await untilSizes(scope, deployment.name, 1, 0);
      expect(sets.map(({ metadata }) => metadata.annotations?.[revision]).sort()).toEqual(['2', '3']);
    },
    'controllers',
  );

  rule(
    'does not roll out a new template while it is paused',
    async (scope) => {
      const deployment = await createDeployment(scope, { replicas: 1 });
      const { name, path } = deployment;
      await rollOut(scope, deployment);
      await scope.api.patch(path, 'merge', { spec: { paused: true } });
      const paused = await untilCondition(scope, path, 'Progressing', 'Unknown', 'DeploymentPaused');
      expect(paused['message']).toBe('Deployment is paused');
      const { body } = await scope.api.patch(path, 'strategic', imagePatch('2.0'));
      await untilStatus(scope, path, { observedGeneration: body.metadata.generation });
      expect(await untilSizes(scope, name, 1)).toHaveLength(1);
      await scope.api.patch(path, 'merge', { spec: { paused: false } });
      await rollOut(scope, deployment);
      await untilSizes(scope, name, 1, 0);
    },
    'controllers',
  );

  rule(
    'reports a rollout that makes no progress within its deadline',
    async (scope) => {
      const { name, path } = await createDeployment(scope, { replicas: 1, progressDeadlineSeconds: 1 });
      const condition = await untilCondition(scope, path, 'Progressing', 'False');
      expect(condition).toMatchObject({
        reason: 'ProgressDeadlineExceeded',
        message: expect.stringMatching(
          new RegExp(`^ReplicaSet "${name}-[a-z0-9]+" has timed out progressing\\.$`),
        ),
      });
    },
    'controllers',
  );
}
