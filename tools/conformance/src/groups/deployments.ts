import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import {
  createDeployment,
  existing,
  makeReady,
  replicaSets,
  replicated,
  rollOut,
  sizeOf,
  untilCondition,
  untilEvent,
  untilPods,
  untilSizes,
  untilStatus,
} from '../suite/controlled.js';
import { deployments } from '../suite/workloads.js';
import { create, expectInvalid } from '../suite/write.js';
import { rolloutRules } from './deployments/rollouts.js';

const prefix = 'deployment.kubernetes.io';

/** Cases about Deployments. Their pods never run, so a case writes their status. */
export const deploymentGroup = defineGroup(
  'deployments',
  { source: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/' },
  (rule) => {
    rule('refuses a rolling update that can neither add nor remove a pod', async (scope) => {
      const rollingUpdate = { maxSurge: 0, maxUnavailable: 0 };
      const object = replicated('Deployment', scope.name('stuck'), {
        strategy: { type: 'RollingUpdate', rollingUpdate },
      });
      const answer = await scope.api.post(deployments(scope.namespace), object);
      expectInvalid(answer, 'spec.strategy.rollingUpdate.maxUnavailable');
    });

    rule('refuses a progress deadline that is not longer than minReadySeconds', async (scope) => {
      const spec = { minReadySeconds: 10, progressDeadlineSeconds: 10 };
      const object = replicated('Deployment', scope.name('deadline'), spec);
      const answer = await scope.api.post(deployments(scope.namespace), object);
      expectInvalid(answer, 'spec.progressDeadlineSeconds');
    });

    rule(
      'creates a ReplicaSet of its template with a hash, a revision and its sizes',
      async (scope) => {
        const annotations = { 'kubernetes.io/change-cause': 'first' };
        const { object, name, path } = await createDeployment(scope, {}, { annotations });
        const [replicaSet] = await untilSizes(scope, name, 2);
        const hash = replicaSet?.metadata.labels?.['pod-template-hash'] ?? '';
        expect(hash).toMatch(/^[a-z0-9]+$/);
        expect(replicaSet).toMatchObject({
          metadata: {
            name: `${name}-${hash}`,
            labels: { app: name },
            annotations: {
              ...annotations,
              [`${prefix}/revision`]: '1',
              [`${prefix}/desired-replicas`]: '2',
              [`${prefix}/max-replicas`]: '3',
            },
            ownerReferences: [
              {
                apiVersion: 'apps/v1',
                kind: 'Deployment',
                name,
                uid: object.metadata.uid,
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          spec: {
            selector: { matchLabels: { app: name, 'pod-template-hash': hash } },
            template: { metadata: { labels: { app: name, 'pod-template-hash': hash } } },
          },
        });
        await untilPods(scope, `app=${name},pod-template-hash=${hash}`, 2);
        const { body } = await scope.eventually(
          path,
          (answer) => answer.body.metadata.annotations?.[`${prefix}/revision`] === '1',
        );
        expect(body.metadata.generation).toBe(1);
        expect(await untilEvent(scope, name, 'ScalingReplicaSet')).toContain(
          `Scaled up replica set ${name}-${hash}`,
        );
      },
      'controllers',
    );

    rule(
      'reports what is missing, and that it is complete when its pods are ready',
      async (scope) => {
        const { name, path } = await createDeployment(scope);
        await untilStatus(scope, path, { replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 });
        const missing = await untilCondition(scope, path, 'Available', 'False');
        expect(missing).toMatchObject({
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        });
        await makeReady(scope, await untilPods(scope, `app=${name}`, 2));
        const progress = await untilCondition(scope, path, 'Progressing', 'True', 'NewReplicaSetAvailable');
        expect(progress['message']).toMatch(
          new RegExp(`^ReplicaSet "${name}-[a-z0-9]+" has successfully progressed\\.$`),
        );
        expect(await untilCondition(scope, path, 'Available', 'True')).toMatchObject({
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        });
        const body = await untilStatus(scope, path, { readyReplicas: 2, availableReplicas: 2 });
        expect(body.status).not.toHaveProperty('unavailableReplicas');
      },
      'controllers',
    );

    rule(
      'scales its ReplicaSet without a new one',
      async (scope) => {
        const { name, path } = await createDeployment(scope, { replicas: 1 });
        const [before] = await untilSizes(scope, name, 1);
        await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 4 } });
        const [after] = await untilSizes(scope, name, 4);
        expect(after?.metadata.uid).toBe(before?.metadata.uid);
        expect(after?.metadata.annotations).toMatchObject({
          [`${prefix}/desired-replicas`]: '4',
          [`${prefix}/max-replicas`]: '5',
          [`${prefix}/revision`]: '1',
        });
        await untilPods(scope, `app=${name}`, 4);
      },
      'controllers',
    );

    rule(
      'brings a ReplicaSet that is scaled by another client back to its size',
      async (scope) => {
        const deployment = await createDeployment(scope, { replicas: 1 });
        await rollOut(scope, deployment);
        const [replicaSet] = await untilSizes(scope, deployment.name, 1);
        const path = `${replicaSets(scope.namespace)}/${existing(replicaSet).metadata.name}`;
        const scaled = await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 3 } });
        expect(scaled.status).toBe(200);
        await scope.eventually(
          path,
          ({ body }) => sizeOf(body) === 1 && Number(body.metadata.generation) === 3,
        );
      },
      'controllers',
    );

    rule(
      'adopts a ReplicaSet of its template instead of creating one',
      async (scope) => {
        const name = scope.name('adopt');
        const own = replicated('ReplicaSet', name, {}, { labels: { app: name } });
        const replicaSet = await create(scope, replicaSets(scope.namespace), own);
        await create(scope, deployments(scope.namespace), replicated('Deployment', name));
        const { body } = await scope.eventually(
          `${replicaSets(scope.namespace)}/${name}`,
          (answer) => answer.body.metadata.annotations?.[`${prefix}/revision`] === '1',
        );
        expect(body.metadata).toMatchObject({
          uid: replicaSet.metadata.uid,
          ownerReferences: [{ kind: 'Deployment', name, controller: true }],
        });
        expect(await untilSizes(scope, name, 2)).toHaveLength(1);
      },
      'controllers',
    );

    rule(
      'is deleted in the foreground with its ReplicaSets and their pods',
      async (scope) => {
        const { name, path } = await createDeployment(scope);
        await untilPods(scope, `app=${name}`, 2);
        await scope.api.delete(path, { query: { propagationPolicy: 'Foreground' } });
        await scope.eventually(path, ({ status }) => status === 404);
        await untilSizes(scope, name);
        await untilPods(scope, `app=${name}`, 0);
      },
      'controllers',
    );

    rolloutRules(rule);
  },
);
