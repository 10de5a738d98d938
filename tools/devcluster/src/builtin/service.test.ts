import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { serviceKind } from './service.js';

const now = new Date(0);

function service(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec, status };
}

const balanced = (...ingress: JsonObject[]): JsonObject => ({ loadBalancer: { ingress } });

describe('Service', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['<none>', { type: 'ClusterIP' }, {}],
    ['192.0.2.1,192.0.2.2', { type: 'NodePort', externalIPs: ['192.0.2.1', '192.0.2.2'] }, {}],
    ['<pending>', { type: 'LoadBalancer' }, {}],
    [
      '192.0.2.9,lb.example',
      { type: 'LoadBalancer' },
      balanced({ ip: '192.0.2.9' }, { hostname: 'lb.example' }),
    ],
    [
      '192.0.2.9,192.0.2.1',
      { type: 'LoadBalancer', externalIPs: ['192.0.2.1'] },
      balanced({ ip: '192.0.2.9' }),
    ],
    ['db.example', { type: 'ExternalName', externalName: 'db.example', externalIPs: ['192.0.2.1'] }, {}],
  ])('has the external address %s for %j', (text, spec, status) => {
    const column = serviceKind.columns.find(({ name }) => name === 'External-IP');
    expect(column?.cell(service(spec, status), now)).toBe(text);
  });

  it.each<[string, JsonObject]>([
    ['ClusterIP', { internalTrafficPolicy: 'Cluster' }],
    ['NodePort', { internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster' }],
    [
      'LoadBalancer',
      {
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
    ],
    ['ExternalName', {}],
  ])('has the default traffic policies of the type %s', (type, policies) => {
    const object = service({ type });
    serviceKind.strategy.defaults?.(object);
    expect(object['spec']).toEqual({ type, ...policies });
  });
});
