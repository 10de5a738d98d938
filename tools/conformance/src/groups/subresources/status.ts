import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { deployment, deployments } from '../../suite/workloads.js';
import { create, expectRefusal } from '../../suite/write.js';

const seen = { conditions: [{ type: 'example.com/Seen', status: 'True' }] };

/** Declares the rules about the status of built-in kinds, and about paths that are not subresources. */
export function statusRules(rule: Rule): void {
  rule('ignores the status in a create and in an update of an object', async (scope) => {
    const name = scope.name('main');
    const path = `${deployments(scope.namespace)}/${name}`;
    const created = await create(scope, deployments(scope.namespace), { ...deployment(name), status: seen });
    expect(JSON.stringify(created.status)).not.toContain('example.com/Seen');
    const patched = await scope.api.patch(path, 'merge', { spec: { minReadySeconds: 3 }, status: seen });
    expect(patched).toMatchObject({ status: 200, body: { spec: { minReadySeconds: 3 } } });
    expect(JSON.stringify(patched.body.status)).not.toContain('example.com/Seen');
  });

  rule('ignores the spec in an update of the status, and keeps the generation', async (scope) => {
    const name = scope.name('status');
    const path = `${deployments(scope.namespace)}/${name}`;
    await create(scope, deployments(scope.namespace), deployment(name));
    const spec = { replicas: 7, minReadySeconds: 3 };
    const answer = await scope.api.patch(`${path}/status`, 'merge', { spec, status: seen });
    expect(answer).toMatchObject({
      status: 200,
      body: { kind: 'Deployment', metadata: { generation: 1 }, spec: { replicas: 0 }, status: seen },
    });
    expect(answer.body.spec?.['minReadySeconds'] ?? 0).toBe(0);
  });

  rule('replaces the status of an object by PUT, and nothing else', async (scope) => {
    const path = `/api/v1/namespaces/${await scope.ownNamespace()}`;
    const { body } = await scope.api.get(path);
    const status = { phase: 'Active', ...seen };
    const changed = { ...body, spec: { finalizers: ['example.com/other'] }, status };
    const answer = await scope.api.put(`${path}/status`, changed);
    expect(answer).toMatchObject({ status: 200, body: { status } });
    expect(answer.body.spec).toEqual(body.spec);
    const read = await scope.api.get(path);
    expect(read.body).toMatchObject({ spec: body.spec, status });
  });

  rule('reads the whole object through its status subresource', async (scope) => {
    const name = scope.name('read');
    const path = `${deployments(scope.namespace)}/${name}`;
    const { metadata } = await create(scope, deployments(scope.namespace), deployment(name));
    const { uid } = metadata;
    expect(await scope.api.get(`${path}/status`)).toMatchObject({
      status: 200,
      body: { kind: 'Deployment', metadata: { name, uid }, spec: { paused: true } },
    });
  });

  rule('validates a status', async (scope) => {
    const name = scope.name('valid');
    const path = `${deployments(scope.namespace)}/${name}`;
    await create(scope, deployments(scope.namespace), deployment(name));
    const negative = await scope.api.patch(`${path}/status`, 'merge', { status: { replicas: -1 } });
    expectRefusal(negative, 422, 'Invalid');
    const wrongType = await scope.api.patch(`${path}/status`, 'merge', { status: { replicas: 'many' } });
    expectRefusal(wrongType, 422, 'Invalid');
    const namespace = `/api/v1/namespaces/${await scope.ownNamespace()}`;
    const phase = { status: { phase: 'Terminating' } };
    expectRefusal(await scope.api.patch(`${namespace}/status`, 'merge', phase), 422, 'Invalid');
  });

  rule('answers 404 to a subresource that a resource does not have', async (scope) => {
    const name = scope.name('none');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const subresource of ['status', 'scale', 'nothing']) {
      expectRefusal(await scope.api.get(`${path}/${subresource}`), 404, 'NotFound');
      expectRefusal(await scope.api.put(`${path}/${subresource}`, configMap(name)), 404, 'NotFound');
    }
    expect((await scope.api.get(path)).status).toBe(200);
  });

  rule('answers 405 to a verb that a path does not have', async (scope) => {
    const name = scope.name('verbs');
    const path = `${deployments(scope.namespace)}/${name}`;
    await create(scope, deployments(scope.namespace), deployment(name));
    expectRefusal(await scope.api.post(path, deployment(name)), 405, 'MethodNotAllowed');
    expectRefusal(await scope.api.post(`${path}/status`, deployment(name)), 405, 'MethodNotAllowed');
    expectRefusal(await scope.api.delete(`${path}/scale`), 405, 'MethodNotAllowed');
    expectRefusal(
      await scope.api.put(deployments(scope.namespace), deployment(name)),
      405,
      'MethodNotAllowed',
    );
  });

  rule('answers 404 to the status of an object that does not exist', async (scope) => {
    const name = scope.name('absent');
    const path = `${deployments(scope.namespace)}/${name}/status`;
    for (const answer of [
      await scope.api.get(path),
      await scope.api.put(path, deployment(name)),
      await scope.api.patch(path, 'merge', { status: seen }),
    ]) {
      expectRefusal(answer, 404, 'NotFound');
      expect(answer.body.details).toMatchObject({ name, group: 'apps', kind: 'deployments' });
    }
  });
}
