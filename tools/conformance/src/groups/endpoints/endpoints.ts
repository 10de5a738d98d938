import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { container } from '../../suite/workloads.js';
import { createService, endpointsOf } from '../../suite/services.js';
import { endpointFixture, targetRef } from './fixture.js';

/** Declares the rules about the Endpoints of Services with a selector. */
export function endpointRules(rule: Rule): void {
  rule('lists the pods of a Service in its Endpoints, by whether they are ready', async (scope) => {
    const { node, run, serve } = await endpointFixture(scope);
    const ready = await run({ ip: '10.11.0.1' });
    const unready = await run({ ip: '10.11.0.2', ready: false });
    const service = await serve({}, { tier: 'front' });
    const found = await endpointsOf(scope, service, ([subset]) => subset?.addresses?.length === 1);
    const address = (ip: string, pod: typeof ready): object => ({
      ip,
      nodeName: node,
      targetRef: targetRef(pod),
    });
    expect(found.subsets).toEqual([
      {
        addresses: [address('10.11.0.1', ready)],
        notReadyAddresses: [address('10.11.0.2', unready)],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ]);
    expect(found.metadata.labels).toMatchObject({ tier: 'front' });
  });

  rule('resolves named ports by the containers of each pod', async (scope) => {
    const { run, serve } = await endpointFixture(scope);
    for (const [index, containerPort] of [8081, 8082].entries()) {
      const containers = [container('app', { ports: [{ name: 'web', containerPort }] })];
      await run({ ip: `10.12.0.${index + 1}`, spec: { containers } });
    }
    const ports = [{ name: 'http', port: 80, targetPort: 'web' }];
    const service = await serve({ ports });
    const found = await endpointsOf(scope, service, (subsets) => subsets.length === 2);
    const pairs = (found.subsets ?? []).map((subset) => [subset.addresses?.[0]?.['ip'], subset.ports?.[0]]);
    expect(pairs).toHaveLength(2);
    expect(pairs).toEqual(
      expect.arrayContaining([
        ['10.12.0.1', { name: 'http', port: 8081, protocol: 'TCP' }],
        ['10.12.0.2', { name: 'http', port: 8082, protocol: 'TCP' }],
      ]),
    );
  });

  rule('lists pods that are not ready as ready if the Service publishes them', async (scope) => {
    const { run, serve } = await endpointFixture(scope);
    await run({ ip: '10.13.0.1', ready: false });
    const service = await serve({ publishNotReadyAddresses: true });
    const found = await endpointsOf(scope, service, ([subset]) => subset?.addresses !== undefined);
    expect(found.subsets?.[0]?.addresses?.[0]).toMatchObject({ ip: '10.13.0.1' });
    expect(found.subsets?.[0]).not.toHaveProperty('notReadyAddresses');
  });

  rule('marks the Endpoints of a headless Service, which may have no ports', async (scope) => {
    const { run, serve } = await endpointFixture(scope);
    await run({ ip: '10.14.0.1' });
    const service = await serve({ clusterIP: 'None', ports: undefined });
    const found = await endpointsOf(scope, service, (subsets) => subsets.length === 1);
    expect(found.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    expect(found.subsets?.[0]).not.toHaveProperty('ports');
  });

  rule('deletes the Endpoints of a Service with it', async (scope) => {
    const service = await createService(scope, scope.name('app'));
    await endpointsOf(scope, service, (subsets) => subsets.length === 0);
    await scope.api.delete(scope.core('services', service.metadata.name));
    const path = scope.core('endpoints', service.metadata.name);
    await scope.eventually(path, ({ status }) => status === 404);
  });
}
