import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { managersOf, ownedBy } from '../../suite/managers.js';
import { deployment, deployments } from '../../suite/workloads.js';
import { causesOf, create, expectRefusal } from '../../suite/write.js';

/** Returns an applied configuration of one condition of a namespace. */
function conditionConfig(name: string, type: string, status: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    status: { conditions: [{ type, status }] },
  };
}

/** Declares the rules about applying through status and scale. */
export function subresourceRules(rule: Rule): void {
  rule('applies a status through the status subresource and records the subresource', async (scope) => {
    const name = await scope.ownNamespace();
    const path = `/api/v1/namespaces/${name}/status`;
    const answer = await scope.api.apply(path, 'one', conditionConfig(name, 'example.com/One', 'True'));
    expect(answer).toMatchObject({
      status: 200,
      body: { status: { phase: 'Active', conditions: [{ type: 'example.com/One', status: 'True' }] } },
    });
    expect(ownedBy(answer.body, 'one', 'Apply', 'status')).toEqual({
      'f:status': {
        'f:conditions': { 'k:{"type":"example.com/One"}': { '.': {}, 'f:type': {}, 'f:status': {} } },
      },
    });
  });

  rule('merges the conditions of appliers by type, and refuses conflicts between them', async (scope) => {
    const name = await scope.ownNamespace();
    const path = `/api/v1/namespaces/${name}/status`;
    await scope.api.apply(path, 'one', conditionConfig(name, 'example.com/One', 'True'));
    const merged = await scope.api.apply(path, 'two', conditionConfig(name, 'example.com/Two', 'False'));
    expect(merged).toMatchObject({
      status: 200,
      body: {
        status: {
          conditions: [
            { type: 'example.com/One', status: 'True' },
            { type: 'example.com/Two', status: 'False' },
          ],
        },
      },
    });
    const conflict = await scope.api.apply(path, 'two', conditionConfig(name, 'example.com/One', 'False'));
    expectRefusal(conflict, 409, 'Conflict');
    expect(causesOf(conflict)).toMatchObject([
      { field: '.status.conditions[type="example.com/One"].status' },
    ]);
    expect(causesOf(conflict)[0]?.message).toContain('conflict with "one" with subresource "status"');
  });

  rule('ignores the status in a configuration that is applied to the object', async (scope) => {
    const name = scope.name('status');
    const path = `${deployments(scope.namespace)}/${name}`;
    const config = { ...deployment(name), status: { availableReplicas: 7 } };
    const answer = await scope.api.apply(path, 'one', config);
    scope.deleteAfterwards(path);
    expect(answer.status).toBe(201);
    expect(answer.body.status).not.toHaveProperty('availableReplicas');
    expect(ownedBy(answer.body, 'one')).not.toHaveProperty('f:status');
    expect(ownedBy(answer.body, 'one')).toHaveProperty('f:spec');
  });

  rule('answers 404 to an apply to a subresource of an object that does not exist', async (scope) => {
    const name = scope.name('absent');
    const path = `/api/v1/namespaces/${name}`;
    const config = conditionConfig(name, 'example.com/One', 'True');
    expectRefusal(await scope.api.apply(`${path}/status`, 'one', config), 404, 'NotFound');
    expect((await scope.api.get(path)).status).toBe(404);
  });

  rule('moves replicas to the manager that scales, and refuses to apply others', async (scope) => {
    const name = scope.name('scaled');
    const path = `${deployments(scope.namespace)}/${name}`;
    await scope.api.apply(path, 'one', deployment(name, { replicas: 1 }));
    scope.deleteAfterwards(path);
    const query = { fieldManager: 'scaler' };
    await scope.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 2 } }, { query });
    const { body } = await scope.api.get(path);
    expect(ownedBy(body, 'scaler', 'Update', 'scale')).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(ownedBy(body, 'one')?.['f:spec']).not.toHaveProperty('f:replicas');
    const conflict = await scope.api.apply(path, 'one', deployment(name, { replicas: 1 }));
    expectRefusal(conflict, 409, 'Conflict');
    expect(causesOf(conflict)).toMatchObject([{ field: '.spec.replicas' }]);
    expect(causesOf(conflict)[0]?.message).toContain('conflict with "scaler" with subresource "scale"');
  });

  rule('keeps the managers of an object when its status changes', async (scope) => {
    const name = scope.name('kept');
    const path = `${deployments(scope.namespace)}/${name}`;
    const query = { fieldManager: 'creator' };
    await create(scope, deployments(scope.namespace), deployment(name), { query });
    const status = { conditions: [{ type: 'example.com/Seen', status: 'True' }] };
    const answer = await scope.api.patch(
      `${path}/status`,
      'merge',
      { status },
      {
        query: { fieldManager: 'observer' },
      },
    );
    expect(answer.status).toBe(200);
    expect(managersOf(answer.body)).toEqual(expect.arrayContaining(['creator', 'observer']));
    expect(ownedBy(answer.body, 'observer', 'Update', 'status')).toHaveProperty('f:status');
    expect(ownedBy(answer.body, 'creator', 'Update')).toHaveProperty('f:spec');
  });
}
