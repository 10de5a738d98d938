import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { podPath, running, setStatus } from '../../suite/running-pods.js';
import { createService, slicesOf } from '../../suite/services.js';
import { endpointFixture, targetRef } from './fixture.js';

/** Declares the rules about the EndpointSlices of Services with a selector. */
export function sliceRules(rule: Rule): void {
  rule('gives a Service an EndpointSlice that it owns, with a reference to each pod', async (scope) => {
    const { node, run, serve } = await endpointFixture(scope);
    const pod = await run({ ip: '10.21.0.1' });
    const service = await serve({}, { tier: 'front' });
    const [slice] = await slicesOf(scope, service, (endpoints) => endpoints.length === 1);
    const { name, uid } = service.metadata;
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      metadata: {
        generateName: `${name}-`,
        labels: {
          tier: 'front',
          'kubernetes.io/service-name': name,
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true },
        ],
      },
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['10.21.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: node,
          targetRef: targetRef(pod),
        },
      ],
    });
  });

  rule('keeps an empty EndpointSlice for a Service without pods', async (scope) => {
    const service = await createService(scope, scope.name('app'));
    const [slice, ...more] = await slicesOf(scope, service, () => true);
    expect(more).toEqual([]);
    expect([slice?.endpoints ?? [], slice?.ports ?? []]).toEqual([[], []]);
  });

  rule('follows the readiness of pods and their deletion', async (scope) => {
    const { run, serve } = await endpointFixture(scope);
    const pod = await run({ ip: '10.22.0.1' });
    const service = await serve();
    await slicesOf(scope, service, ([endpoint]) => endpoint?.conditions.ready === true);
    await setStatus(scope, pod, running({ ready: false }));
    await slicesOf(scope, service, ([endpoint]) => endpoint?.conditions.ready === false);
    await setStatus(scope, pod, running());
    await slicesOf(scope, service, ([endpoint]) => endpoint?.conditions.ready === true);
    const path = podPath(scope.namespace, pod.metadata.name);
    await scope.api.delete(path);
    const [slice] = await slicesOf(scope, service, ([endpoint]) => endpoint?.conditions.terminating === true);
    const conditions = { ready: false, serving: true, terminating: true };
    expect(slice?.endpoints?.[0]?.conditions).toEqual(conditions);
    await scope.api.delete(path, { query: { gracePeriodSeconds: 0 } });
    await slicesOf(scope, service, (endpoints) => endpoints.length === 0);
  });

  rule('leaves out pods that have ended or have no address', async (scope) => {
    const { run, serve } = await endpointFixture(scope);
    await run({ ip: '10.23.0.1' });
    await run();
    const ended = await run({ ip: '10.23.0.3' });
    await setStatus(scope, ended, { phase: 'Failed' });
    const service = await serve();
    const [slice] = await slicesOf(scope, service, (endpoints) => endpoints.length > 0);
    expect(slice?.endpoints?.map(({ addresses }) => addresses)).toEqual([['10.23.0.1']]);
  });
}
