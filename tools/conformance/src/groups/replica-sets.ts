import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import {
  createReplicaSet,
  existing,
  makeReady,
  podTemplate,
  replicaSets,
  replicated,
  setPhase,
  untilEvent,
  untilPods,
  untilStatus,
} from '../suite/controlled.js';
import { create, expectInvalid } from '../suite/write.js';
import { failureRules } from './replica-sets/failures.js';

/** Cases about ReplicaSets. Their pods never run, so a case writes their status. */
export const replicaSetGroup = defineGroup(
  'replica-sets',
  { source: 'https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/' },
  (rule) => {
    rule(
      'takes one replica as the default, and keeps the labels of the template to the pods',
      async (scope) => {
        const { object } = await createReplicaSet(scope, { replicas: undefined });
        expect(object).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 } });
        expect(object.metadata.labels).toBeUndefined();
      },
    );

    rule('refuses a selector that does not match the template', async (scope) => {
      const name = scope.name('mismatch');
      const selector = { matchLabels: { app: 'other' } };
      const answer = await scope.api.post(
        replicaSets(scope.namespace),
        replicated('ReplicaSet', name, { selector }),
      );
      expectInvalid(answer, 'spec.template.metadata.labels');
    });

    rule('refuses another selector', async (scope) => {
      const { path, name } = await createReplicaSet(scope, { replicas: 0 });
      const matchLabels = { app: name, tier: 'front' };
      const template = podTemplate(matchLabels);
      const answer = await scope.api.patch(path, 'merge', { spec: { selector: { matchLabels }, template } });
      expectInvalid(answer, 'spec.selector');
    });

    rule(
      'creates pods of the template that it controls',
      async (scope) => {
        const { object, name } = await createReplicaSet(scope);
        const pods = await untilPods(scope, `app=${name}`, 2);
        for (const { metadata } of pods) {
          expect(metadata.name).toMatch(new RegExp(`^${name}-[a-z0-9]{5}$`));
          expect(metadata).toMatchObject({
            generateName: `${name}-`,
            labels: { app: name },
            ownerReferences: [
              {
                apiVersion: 'apps/v1',
                kind: 'ReplicaSet',
                name,
                uid: object.metadata.uid,
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          });
        }
        expect(await untilEvent(scope, name, 'SuccessfulCreate')).toMatch(/^Created pod: /);
      },
      'controllers',
    );

    rule(
      'counts pods, those that are ready and those that are available',
      async (scope) => {
        const { path, name } = await createReplicaSet(scope);
        const pods = await untilPods(scope, `app=${name}`, 2);
        await untilStatus(scope, path, { replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
        await makeReady(scope, pods.slice(0, 1));
        const body = await untilStatus(scope, path, { readyReplicas: 1, availableReplicas: 1 });
        expect(body.status).toMatchObject({ replicas: 2 });
      },
      'controllers',
    );

    rule(
      'does not count a pod as available before its minReadySeconds have elapsed',
      async (scope) => {
        const { path, name } = await createReplicaSet(scope, { replicas: 1, minReadySeconds: 1_000_000_000 });
        await makeReady(scope, await untilPods(scope, `app=${name}`, 1));
        const body = await untilStatus(scope, path, { readyReplicas: 1 });
        expect(body.status).not.toHaveProperty('availableReplicas');
      },
      'controllers',
    );

    rule(
      'replaces a pod that is deleted, and one that has failed',
      async (scope) => {
        const { name } = await createReplicaSet(scope, { replicas: 1 });
        const [first] = await untilPods(scope, `app=${name}`, 1);
        await scope.api.delete(scope.core('pods', existing(first).metadata.name));
        const path = `${scope.core('pods')}?labelSelector=app%3D${name}`;
        const other = await scope.eventually(
          path,
          ({ body }) =>
            body.items.length === 1 && body.items[0]?.metadata.uid !== existing(first).metadata.uid,
        );
        await setPhase(scope, existing(other.body.items[0]), 'Failed');
        await untilPods(scope, `app=${name}`, 2);
      },
      'controllers',
    );

    rule(
      'deletes pods that are not ready before others when it is scaled down',
      async (scope) => {
        const { name, path } = await createReplicaSet(scope, { replicas: 3 });
        const pods = await untilPods(scope, `app=${name}`, 3);
        await makeReady(scope, pods.slice(1, 2));
        await untilStatus(scope, path, { readyReplicas: 1 });
        await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 1 } });
        const [left] = await untilPods(scope, `app=${name}`, 1);
        expect(left?.metadata.uid).toBe(pods[1]?.metadata.uid);
        expect(await untilEvent(scope, name, 'SuccessfulDelete')).toMatch(/^Deleted pod: /);
      },
      'controllers',
    );

    rule(
      'deletes the pod with the lowest deletion cost first',
      async (scope) => {
        const { name, path } = await createReplicaSet(scope, { replicas: 2 });
        const [cheap, dear] = await untilPods(scope, `app=${name}`, 2);
        for (const [pod, cost] of [[cheap, '-5'] as const, [dear, '5'] as const]) {
          const annotations = { 'controller.kubernetes.io/pod-deletion-cost': cost };
          await scope.api.patch(scope.core('pods', existing(pod).metadata.name), 'merge', {
            metadata: { annotations },
          });
        }
        await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 1 } });
        const [left] = await untilPods(scope, `app=${name}`, 1);
        expect(left?.metadata.uid).toBe(dear?.metadata.uid);
      },
      'controllers',
    );

    rule(
      'adopts a pod that its selector matches, and creates one fewer',
      async (scope) => {
        const name = scope.name('adopt');
        const labels = { app: name };
        const pod = await create(scope, scope.core('pods'), {
          apiVersion: 'v1',
          kind: 'Pod',
          ...podTemplate(labels),
          metadata: { name, labels },
        });
        await create(scope, replicaSets(scope.namespace), replicated('ReplicaSet', name));
        await scope.eventually(
          scope.core('pods', name),
          ({ body }) => body.metadata.ownerReferences?.[0]?.['name'] === name,
        );
        await untilStatus(scope, `${replicaSets(scope.namespace)}/${name}`, { replicas: 2 });
        const pods = await untilPods(scope, `app=${name}`, 2);
        expect(pods.map(({ metadata }) => metadata.uid)).toContain(pod.metadata.uid);
      },
      'controllers',
    );

    rule(
      'releases a pod whose labels no longer match, and creates another',
      async (scope) => {
        const { name } = await createReplicaSet(scope, { replicas: 1 });
        const [pod] = await untilPods(scope, `app=${name}`, 1);
        const path = scope.core('pods', existing(pod).metadata.name);
        scope.deleteAfterwards(path);
        await scope.api.patch(path, 'merge', { metadata: { labels: { app: 'released' } } });
        await scope.eventually(path, ({ body }) => body.metadata.ownerReferences === undefined);
        const [other] = await untilPods(scope, `app=${name}`, 1);
        expect(other?.metadata.uid).not.toBe(pod?.metadata.uid);
      },
      'controllers',
    );

    failureRules(rule);
  },
);
