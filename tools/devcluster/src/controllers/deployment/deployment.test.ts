import { describe, expect, it } from '@jest/globals';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { metadataOf, useCluster } from '../../testing/harness.js';
import {
  conditionStatus,
  deploymentsPath,
  eventsOf,
  podsOf,
  replicaSetsPath,
  replicasOf,
  replicated,
  setPhase,
} from '../../testing/workloads.js';

const harness = useCluster();

async function replicaSetsOf(app: string): Promise<KubeObject[]> {
  const { body } = await harness.get(`${replicaSetsPath}?labelSelector=app%3D${app}`);
  return objectsAt(body, 'items') as KubeObject[];
}

/** Marks the pods of a Deployment ready until its rollout is complete. */
async function rollOut(name: string, replicas: number): Promise<void> {
  const isComplete = (body: object): boolean =>
    valueAt(body as KubeObject, 'status', 'updatedReplicas') === replicas &&
    valueAt(body as KubeObject, 'status', 'availableReplicas') === replicas &&
    valueAt(body as KubeObject, 'status', 'replicas') === replicas &&
    valueAt(body as KubeObject, 'status', 'observedGeneration') ===
      valueAt(body as KubeObject, 'metadata', 'generation');
  for (let step = 0; step < 200; step += 1) {
    const { body } = await harness.get(`${deploymentsPath}/${name}`);
    if (isComplete(body)) return;
    const { body: list } = await harness.get(`/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`);
    for (const pod of objectsAt(list, 'items') as KubeObject[]) {
      if (textAt(pod, 'status', 'phase') === 'Pending')
        await setPhase(harness, pod, 'Running').catch(() => undefined);
    }
  }
  throw new Error(`${name} did not roll out`);
}

describe('Deployments', () => {
  it('create a ReplicaSet with their template, a revision and an owner, which creates the pods', async () => {
    await harness.create(deploymentsPath, replicated('Deployment', 'web'));
    const pods = await podsOf(harness, 'app=web', 2);
    const [replicaSet] = await replicaSetsOf('web');
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(replicaSet).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web' },
        annotations: {
          'deployment.kubernetes.io/revision': '1',
          'deployment.kubernetes.io/desired-replicas': '2',
          'deployment.kubernetes.io/max-replicas': '3',
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'web',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
    });
    for (const { metadata } of pods) {
      expect(metadata).toMatchObject({
        generateName: `web-${hash}-`,
        labels: { app: 'web', 'pod-template-hash': hash },
        ownerReferences: [{ kind: 'ReplicaSet', name: `web-${hash}`, controller: true }],
      });
    }
    await rollOut('web', 2);
    const { body } = await harness.until(
      `${deploymentsPath}/web`,
      (reply) => conditionStatus(reply.body, 'Available') === 'True',
    );
    expect(body).toMatchObject({
      metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
      status: {
        conditions: [
          { type: 'Available', reason: 'MinimumReplicasAvailable' },
          { type: 'Progressing', reason: 'NewReplicaSetAvailable' },
        ],
      },
    });
    expect(await eventsOf(harness, 'web')).toEqual([
      `ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 2`,
    ]);
  });

  it('replace pods step by step, keep the old ReplicaSet, and return to the old ReplicaSet with a new revision', async () => {
    await harness.create(deploymentsPath, replicated('Deployment', 'roll', { replicas: 3 }));
    await rollOut('roll', 3);
    const [first] = await replicaSetsOf('roll');
    const image = (tag: string): object => ({
      spec: { template: { spec: { containers: [{ name: 'app', image: `example.com/app:${tag}` }] } } },
    });
    await harness.patch(`${deploymentsPath}/roll`, image('2'));
    await rollOut('roll', 3);
    const sizes = (await replicaSetsOf('roll')).map(replicasOf).sort();
    expect(sizes).toEqual([0, 3]);
    await harness.patch(`${deploymentsPath}/roll`, image('1'));
    await rollOut('roll', 3);
    const again = (await replicaSetsOf('roll')).find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect(again).toMatchObject({
      metadata: {
        annotations: {
          'deployment.kubernetes.io/revision': '3',
          'deployment.kubernetes.io/revision-history': '1',
        },
      },
      spec: { replicas: 3 },
    });
    const { body } = await harness.get(`${deploymentsPath}/roll`);
    expect(objectAt(body, 'metadata', 'annotations')).toEqual({ 'deployment.kubernetes.io/revision': '3' });
  });

  it('use another name for a ReplicaSet if the name exists', async () => {
    const clash = replicated('Deployment', 'clash', { replicas: 0 });
    const named = async (path: string): Promise<KubeObject> => {
      const { body } = await harness.until(path, (reply) => objectsAt(reply.body, 'items').length === 1);
      return objectsAt(body, 'items')[0] as KubeObject;
    };
    await harness.create(deploymentsPath, clash);
    const { metadata } = await named(`${replicaSetsPath}?labelSelector=app%3Dclash`);
    await harness.remove(`${deploymentsPath}/clash`, { propagationPolicy: 'Foreground' });
    await harness.until(`${deploymentsPath}/clash`, ({ status }) => status === 404);
    const other = replicated('ReplicaSet', 'other', { replicas: 0 });
    await harness.create(replicaSetsPath, { ...other, metadata: { name: metadata.name } });
    await harness.create(deploymentsPath, clash);
    const second = await named(`${replicaSetsPath}?labelSelector=app%3Dclash`);
    expect(second.metadata.name).not.toBe(metadata.name);
    await harness.until(
      `${deploymentsPath}/clash`,
      ({ body }) => valueAt(body, 'status', 'collisionCount') === 1,
    );
  });

  it('adopt a ReplicaSet without a controller, and release a ReplicaSet that no longer matches', async () => {
    const orphan = replicated('ReplicaSet', 'adopt', { replicas: 1 });
    await harness.create(replicaSetsPath, {
      ...orphan,
      metadata: { name: 'adopt', labels: { app: 'adopt' } },
    });
    await podsOf(harness, 'app=adopt', 1);
    await harness.create(deploymentsPath, replicated('Deployment', 'adopt', { replicas: 1 }));
    const isAdopted = (object: object): boolean =>
      'ownerReferences' in objectAt(object as KubeObject, 'metadata');
    await harness.until(`${replicaSetsPath}/adopt`, (reply) => isAdopted(reply.body));
    await harness.patch(`${replicaSetsPath}/adopt`, { metadata: { labels: { app: 'other' } } });
    await harness.until(`${replicaSetsPath}/adopt`, (reply) => !isAdopted(reply.body));
  });

  it('delete their ReplicaSets and pods when they are deleted', async () => {
    await harness.create(deploymentsPath, replicated('Deployment', 'gone'));
    await podsOf(harness, 'app=gone', 2);
    const deleted = await harness.remove(`${deploymentsPath}/gone`, { propagationPolicy: 'Foreground' });
    expect(metadataOf(deleted)).toMatchObject({ finalizers: ['foregroundDeletion'] });
    await harness.until(`${deploymentsPath}/gone`, ({ status }) => status === 404);
    expect(await replicaSetsOf('gone')).toEqual([]);
    await podsOf(harness, 'app=gone', 0);
  });
});
