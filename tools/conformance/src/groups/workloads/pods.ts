import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { conditionOf } from '../../suite/conditions.js';
import { createPod, openNode, untilReady } from '../../suite/scheduled-pods.js';
import { releaseAfterwards } from '../../suite/write.js';

const gone = ({ status }: Answer): boolean => status === 404;

/** Declares the rules about the status and the end of pods. */
export function podRules(rule: Rule): void {
  rule('reports a pod whose containers run as ready', async (scope) => {
    const { path } = await createPod(scope, 'ready');
    const { body } = await untilReady(scope, path);
    const time = expect.any(String);
    expect(body.status).toMatchObject({
      phase: 'Running',
      qosClass: 'BestEffort',
      hostIP: expect.any(String),
      podIP: expect.any(String),
      startTime: time,
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          started: true,
          restartCount: 0,
          containerID: expect.any(String),
          state: { running: { startedAt: time } },
        },
      ],
    });
    for (const type of ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']) {
      expect([type, conditionOf(body, type)?.status]).toEqual([type, 'True']);
    }
  });

  rule('reports a pod as not ready while its readiness gate is not true', async (scope) => {
    const conditionType = 'example.com/gate';
    const { path } = await createPod(scope, 'gate', { readinessGates: [{ conditionType }] });
    const { body } = await scope.eventually(
      path,
      (answer) => conditionOf(answer.body, 'ContainersReady')?.status === 'True',
    );
    expect(conditionOf(body, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    const open = { status: { conditions: [{ type: conditionType, status: 'True' }] } };
    await scope.api.patch(`${path}/status`, 'strategic', open);
    await untilReady(scope, path);
  });

  rule('runs a pod on the node that its creator names', async (scope) => {
    const { name } = (await openNode(scope)).metadata;
    const { path } = await createPod(scope, 'named', { nodeName: name });
    expect((await untilReady(scope, path)).body.spec).toMatchObject({ nodeName: name });
  });

  rule('lets pods stay for five minutes on a node that is not ready or unreachable', async (scope) => {
    const { created } = await createPod(scope, 'tolerations');
    const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    }));
    expect(created.spec?.['tolerations']).toEqual(expect.arrayContaining(tolerations));
  });

  rule('gives a running pod that is deleted time to end, then removes it', async (scope) => {
    const { path } = await createPod(scope, 'delete', { terminationGracePeriodSeconds: 20 });
    await untilReady(scope, path);
    const { status, body } = await scope.api.delete(path);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 20,
    });
    await scope.eventually(path, gone);
  });

  rule('removes a running pod at once with a grace period of 0', async (scope) => {
    const { path } = await createPod(scope, 'force');
    await untilReady(scope, path);
    const { status } = await scope.api.delete(path, { body: { gracePeriodSeconds: 0 } });
    expect(status).toBe(200);
    expect((await scope.api.get(path)).status).toBe(404);
  });

  rule('keeps a deleted pod with a finalizer after its containers have ended', async (scope) => {
    const { path } = await createPod(scope, 'finalizer', { finalizers: ['example.com/hold'] });
    releaseAfterwards(scope, path);
    await untilReady(scope, path);
    await scope.api.delete(path);
    await scope.eventually(path, ({ body }) =>
      ['Succeeded', 'Failed'].includes(String((body.status as { phase?: string }).phase)),
    );
    await scope.api.patch(path, 'merge', { metadata: { finalizers: null } });
    await scope.eventually(path, gone);
  });
}
