import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { ownedBy } from '../../suite/managers.js';
import { container, containersOf, deployment, deployments } from '../../suite/workloads.js';
import { causesOf, expectRefusal, releaseAfterwards } from '../../suite/write.js';

/** Returns an applied configuration that contains only the containers of a Deployment. */
function containersConfig(name: string, ...containers: object[]): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { template: { spec: { containers } } },
  };
}

/**
 * Declares the rules about merged lists.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export function listRules(rule: Rule): void {
  rule('merges the items of a list map by their keys, each with its owner', async (scope) => {
    const name = scope.name('items');
    const path = `${deployments(scope.namespace)}/${name}`;
    const env = [{ name: 'A', value: '1' }];
    const first = deployment(name, { containers: [container('app', { env })] });
    expect((await scope.api.apply(path, 'one', first)).status).toBe(201);
    scope.deleteAfterwards(path);
    const sidecar = containersConfig(
      name,
      { name: 'app', env: [{ name: 'B', value: '2' }] },
      container('side'),
    );
    const merged = await scope.api.apply(path, 'two', sidecar);
    expect(merged.status).toBe(200);
    const containers = containersOf(merged.body);
    expect(containers.map((one) => one['name'])).toEqual(['app', 'side']);
    expect(containers[0]).toMatchObject({
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    });
    expect(ownedBy(merged.body, 'two')).toEqual({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"app"}': {
                '.': {},
                'f:name': {},
                'f:env': { 'k:{"name":"B"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
              },
              'k:{"name":"side"}': { '.': {}, 'f:name': {}, 'f:image': {} },
            },
          },
        },
      },
    });
  });

  rule('removes a list item that its only manager no longer applies', async (scope) => {
    const name = scope.name('item');
    const path = `${deployments(scope.namespace)}/${name}`;
    await scope.api.apply(path, 'one', deployment(name, { containers: [container('app')] }));
    scope.deleteAfterwards(path);
    await scope.api.apply(path, 'two', containersConfig(name, container('a'), container('b')));
    const answer = await scope.api.apply(path, 'two', containersConfig(name, container('b')));
    expect(answer.status).toBe(200);
    expect(
      containersOf(answer.body)
        .map((one) => one['name'])
        .sort(),
    ).toEqual(['app', 'b']);
  });

  rule('fills in the default of a key of a list map', async (scope) => {
    const name = scope.name('ports');
    const path = `${deployments(scope.namespace)}/${name}`;
    const ports = [{ containerPort: 80 }];
    const containers = [container('app', { ports })];
    const created = await scope.api.apply(path, 'one', deployment(name, { containers }));
    scope.deleteAfterwards(path);
    expect(created.status).toBe(201);
    const udp = { name: 'app', ports: [{ containerPort: 80, protocol: 'UDP' }] };
    const answer = await scope.api.apply(path, 'two', containersConfig(name, udp));
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body)[0]?.['ports']).toEqual([
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 80, protocol: 'UDP' },
    ]);
  });

  rule('refuses two items of a list map with the same key', async (scope) => {
    const name = scope.name('duplicate');
    const path = `${deployments(scope.namespace)}/${name}`;
    const containers = [container('app'), container('app')];
    const answer = await scope.api.apply(path, 'one', deployment(name, { containers }));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toContain('duplicate entries for key [name="app"]');
  });

  rule('treats an atomic list as one value with one owner', async (scope) => {
    const name = scope.name('atomic');
    const path = `${deployments(scope.namespace)}/${name}`;
    const containers = [container('app', { args: ['a', 'b'] })];
    await scope.api.apply(path, 'one', deployment(name, { containers }));
    scope.deleteAfterwards(path);
    const other = containersConfig(name, { name: 'app', args: ['b', 'c'] });
    const refused = await scope.api.apply(path, 'two', other);
    expectRefusal(refused, 409, 'Conflict');
    expect(causesOf(refused)).toMatchObject([
      { field: '.spec.template.spec.containers[name="app"].args', message: 'conflict with "one"' },
    ]);
    const forced = await scope.api.apply(path, 'two', other, { query: { force: true } });
    expect(containersOf(forced.body)[0]?.['args']).toEqual(['b', 'c']);
  });

  rule('merges a set of values by their equality, each with its owner', async (scope) => {
    const name = scope.name('set');
    const path = scope.core('configmaps', name);
    const apply = (manager: string, ...finalizers: string[]) =>
      scope.api.apply(path, manager, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers } });
    await apply('one', 'example.com/a', 'example.com/b');
    scope.deleteAfterwards(path);
    releaseAfterwards(scope, path);
    const merged = await apply('two', 'example.com/b', 'example.com/c');
    expect(merged.status).toBe(200);
    expect(merged.body.metadata.finalizers).toEqual(['example.com/a', 'example.com/b', 'example.com/c']);
    expect(ownedBy(merged.body, 'two')).toMatchObject({
      'f:metadata': { 'f:finalizers': { 'v:"example.com/b"': {}, 'v:"example.com/c"': {} } },
    });
    const left = await apply('one', 'example.com/a');
    expect([...(left.body.metadata.finalizers ?? [])].sort()).toEqual([
      'example.com/a',
      'example.com/b',
      'example.com/c',
    ]);
    const removed = await apply('two', 'example.com/c');
    expect([...(removed.body.metadata.finalizers ?? [])].sort()).toEqual(['example.com/a', 'example.com/c']);
  });

  rule('records an atomic map as one field', async (scope) => {
    const name = scope.name('selector');
    const path = `${deployments(scope.namespace)}/${name}`;
    const { body } = await scope.api.apply(path, 'one', deployment(name));
    scope.deleteAfterwards(path);
    expect(ownedBy(body, 'one')).toMatchObject({ 'f:spec': { 'f:selector': {}, 'f:replicas': {} } });
    expect((ownedBy(body, 'one')?.['f:spec'] as Record<string, unknown>)['f:selector']).toEqual({});
    expect(JSON.stringify(ownedBy(body, 'one'))).not.toContain('revisionHistoryLimit');
  });
}
