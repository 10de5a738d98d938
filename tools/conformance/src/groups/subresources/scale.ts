import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';
import { deployment, deployments } from '../../suite/workloads.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

/** Creates a Deployment with two replicas. @returns its name and its path. */
async function scalable(scope: Scope, spec: object = {}): Promise<{ name: string; path: string }> {
  const name = scope.name('scale');
  await create(scope, deployments(scope.namespace), deployment(name, { replicas: 2, ...spec }));
  return { name, path: `${deployments(scope.namespace)}/${name}` };
}

const scaleOf = (name: string, replicas: number, metadata: object = {}): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, ...metadata },
  spec: { replicas },
});

/**
 * Declares the rules about the scale subresource of Deployments. Source:
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/
 */
export function scaleRules(rule: Rule): void {
  rule('reads the replicas and the selector of a Deployment as a Scale', async (scope) => {
    const { name, path } = await scalable(scope);
    const { body } = await scope.api.get(path);
    const { uid, creationTimestamp } = body.metadata;
    expect(await scope.api.get(`${path}/scale`)).toMatchObject({
      status: 200,
      body: {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name, namespace: scope.namespace, uid, creationTimestamp },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: `app=${name}` },
      },
    });
  });

  rule('writes a selector of labels and expressions into a Scale', async (scope) => {
    const labels = { app: 'web', tier: 'front' };
    const { path } = await scalable(scope, {
      selector: {
        matchLabels: { app: 'web' },
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['front', 'back'] },
          { key: 'legacy', operator: 'DoesNotExist' },
        ],
      },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'example.com/pause:1.0' }] },
      },
    });
    const { body } = await scope.api.get(`${path}/scale`);
    expect(body.status).toMatchObject({ selector: 'app=web,!legacy,tier in (back,front)' });
  });

  rule('scales a Deployment by PUT, and by patches of each type', async (scope) => {
    const { name, path } = await scalable(scope);
    const replicas = async () => (await scope.api.get(path)).body.spec?.['replicas'];
    const put = await scope.api.put(`${path}/scale`, scaleOf(name, 3));
    expect(put).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 3 } } });
    expect(await replicas()).toBe(3);
    const json = [{ op: 'replace', path: '/spec/replicas', value: 4 }];
    expect(await scope.api.patch(`${path}/scale`, 'json', json)).toMatchObject({
      status: 200,
      body: { kind: 'Scale', spec: { replicas: 4 } },
    });
    expect(await replicas()).toBe(4);
    for (const [type, count] of [
      ['merge', 5],
      ['strategic', 6],
    ] as const) {
      const answer = await scope.api.patch(`${path}/scale`, type, { spec: { replicas: count } });
      expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: count } } });
      expect(await replicas()).toBe(count);
    }
  });

  rule(
    'raises the generation of a Deployment that is scaled, and changes nothing else of it',
    async (scope) => {
      const { path } = await scalable(scope);
      const before = (await scope.api.get(path)).body;
      await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 1 }, status: { replicas: 9 } });
      const after = (await scope.api.get(path)).body;
      expect(after.metadata.generation).toBe(2);
      expect(after.spec).toEqual({ ...before.spec, replicas: 1 });
      expect(after.status).not.toMatchObject({ replicas: 9 });
    },
  );

  rule('stores nothing in a dry run of a scale', async (scope) => {
    const { name, path } = await scalable(scope);
    const query = { dryRun: 'All' };
    const answer = await scope.api.put(`${path}/scale`, scaleOf(name, 9), { query });
    expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: 9 } } });
    expect((await scope.api.get(path)).body.spec).toMatchObject({ replicas: 2 });
  });

  rule('refuses a Scale with a stale resourceVersion with 409', async (scope) => {
    const { name, path } = await scalable(scope);
    const resourceVersion = '1';
    const stale = await scope.api.put(`${path}/scale`, scaleOf(name, 3, { resourceVersion }));
    expectRefusal(stale, 409, 'Conflict');
    const patch = { metadata: { resourceVersion }, spec: { replicas: 3 } };
    expectRefusal(await scope.api.patch(`${path}/scale`, 'merge', patch), 409, 'Conflict');
    expect((await scope.api.get(path)).body.spec).toMatchObject({ replicas: 2 });
    expect((await scope.api.put(`${path}/scale`, scaleOf(name, 3))).status).toBe(200);
  });

  rule('refuses a Scale of a negative number of replicas', async (scope) => {
    const { name, path } = await scalable(scope);
    const negative = await scope.api.put(`${path}/scale`, scaleOf(name, -1));
    expectInvalid(negative, 'spec.replicas');
    expect(negative.body.details).toMatchObject({ name, group: 'autoscaling', kind: 'Scale' });
    expect((await scope.api.get(path)).body.spec).toMatchObject({ replicas: 2 });
  });

  rule('refuses a Scale of another name, and an object of another kind', async (scope) => {
    const { name, path } = await scalable(scope);
    expectRefusal(await scope.api.put(`${path}/scale`, scaleOf(`${name}-other`, 3)), 400, 'BadRequest');
    expectRefusal(await scope.api.put(`${path}/scale`, deployment(name)), 400, 'BadRequest');
    expect((await scope.api.get(path)).body.spec).toMatchObject({ replicas: 2 });
  });

  rule('answers 404 to the scale of a Deployment that does not exist', async (scope) => {
    const name = scope.name('absent');
    const path = `${deployments(scope.namespace)}/${name}/scale`;
    for (const answer of [
      await scope.api.get(path),
      await scope.api.put(path, scaleOf(name, 1)),
      await scope.api.patch(path, 'merge', { spec: { replicas: 1 } }),
    ]) {
      expectRefusal(answer, 404, 'NotFound');
    }
  });
}
