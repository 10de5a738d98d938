import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { container, containersOf, deployment, deployments } from '../../suite/workloads.js';
import { create } from '../../suite/write.js';
import { patchContainers } from './strategic.js';

/**
 * Declares the rules about the directives of strategic merge patches. Source:
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicDirectiveRules(rule: Rule): void {
  rule('deletes a list item with $patch: delete', async (scope) => {
    const answer = await patchContainers(
      scope,
      [container('one'), container('two')],
      [{ name: 'one', $patch: 'delete' }],
    );
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body).map((one) => one['name'])).toEqual(['two']);
  });

  rule('replaces a list with $patch: replace', async (scope) => {
    const answer = await patchContainers(
      scope,
      [container('one'), container('two')],
      [container('three'), { $patch: 'replace' }],
    );
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body).map((one) => one['name'])).toEqual(['three']);
  });

  rule('replaces a map with $patch: replace, and deletes one with $patch: delete', async (scope) => {
    const name = scope.name('maps');
    const path = scope.core('configmaps', name);
    const labels = { a: '1', b: '2' };
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1', b: '2' }, { labels }));
    const answer = await scope.api.patch(path, 'strategic', {
      metadata: { labels: { $patch: 'delete' } },
      data: { $patch: 'replace', c: '3' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ c: '3' });
    expect(answer.body.metadata.labels).toBeUndefined();
  });

  rule('keeps only the fields that $retainKeys names', async (scope) => {
    const name = scope.name('retain');
    const path = `${deployments(scope.namespace)}/${name}`;
    const created = await create(scope, deployments(scope.namespace), deployment(name));
    expect(created.spec?.['strategy']).toMatchObject({ type: 'RollingUpdate', rollingUpdate: {} });
    const strategy = { $retainKeys: ['type'], type: 'Recreate' };
    const answer = await scope.api.patch(path, 'strategic', { spec: { strategy } });
    expect(answer.status).toBe(200);
    expect(answer.body.spec?.['strategy']).toEqual({ type: 'Recreate' });
  });

  rule('orders merged list items as $setElementOrder states', async (scope) => {
    const name = scope.name('order');
    const containers = [container('one'), container('two')];
    await create(scope, deployments(scope.namespace), deployment(name, { containers }));
    const pod = {
      '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }, { name: 'one' }],
      containers: [container('three')],
    };
    const path = `${deployments(scope.namespace)}/${name}`;
    const answer = await scope.api.patch(path, 'strategic', { spec: { template: { spec: pod } } });
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body).map((one) => one['name'])).toEqual(['three', 'two', 'one']);
  });
}
