import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decide } from './decide.js';

function service(spec: JsonObject = {}, labels: Record<string, string> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'team', labels },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }], ...spec },
  };
}

interface PodOptions {
  ready?: boolean;
  going?: boolean;
  spec?: JsonObject;
}

function pod(
  name: string,
  podIP: string,
  { ready = true, going = false, spec = {} }: PodOptions = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'team', uid: name, ...(going && { deletionTimestamp: 'x' }) },
    spec,
    status: { phase: 'Running', podIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const address = (name: string, ip: string, more: JsonObject = {}): JsonObject => ({
  ip,
  ...more,
  targetRef: { kind: 'Pod', namespace: 'team', name, uid: name },
});

const web = (name: string, containerPort: number, ip: string): KubeObject =>
  pod(name, ip, { spec: { containers: [{ name: 'c', ports: [{ name: 'web', containerPort }] }] } });

const ports: JsonObject[] = [{ port: 8080, protocol: 'TCP' }];

describe('The Endpoints of a Service', () => {
  it.each<[string, KubeObject, KubeObject[], JsonObject[] | undefined]>([
    ['have no subsets without pods', service(), [], undefined],
    [
      'list the addresses of ready and of other pods in order',
      service(),
      [pod('b', '10.0.0.2'), pod('c', '10.0.0.3', { ready: false }), pod('a', '10.0.0.1')],
      [
        {
          addresses: [address('a', '10.0.0.1'), address('b', '10.0.0.2')],
          notReadyAddresses: [address('c', '10.0.0.3')],
          ports,
        },
      ],
    ],
    ['omit a pod that is being deleted', service(), [pod('a', '10.0.0.1', { going: true })], undefined],
    [
      'list every pod as ready when the Service publishes addresses that are not ready',
      service({ publishNotReadyAddresses: true }),
      [pod('a', '10.0.0.1', { ready: false, going: true })],
      [{ addresses: [address('a', '10.0.0.1')], ports }],
    ],
    [
      'resolve named ports for each pod, and omit pods without these ports',
      service({ ports: [{ name: 'http', port: 80, targetPort: 'web' }] }),
      [web('a', 8081, '10.0.0.1'), web('b', 8082, '10.0.0.2'), pod('c', '10.0.0.3')],
      [
        { addresses: [address('a', '10.0.0.1')], ports: [{ name: 'http', port: 8081, protocol: 'TCP' }] },
        { addresses: [address('b', '10.0.0.2')], ports: [{ name: 'http', port: 8082, protocol: 'TCP' }] },
      ],
    ],
    [
      'state the host name of a pod in the subdomain',
      service(),
      [pod('a', '10.0.0.1', { spec: { hostname: 'a-0', subdomain: 'web', nodeName: 'n' } })],
      [{ addresses: [address('a', '10.0.0.1', { hostname: 'a-0', nodeName: 'n' })], ports }],
    ],
    [
      'do not require ports for a headless Service',
      service({ clusterIP: 'None', ports: [] }),
      [pod('a', '10.0.0.1')],
      [{ addresses: [address('a', '10.0.0.1')] }],
    ],
  ])('%s', (_, one, pods, subsets) => {
    expect(decide(one, pods, undefined)?.['subsets']).toEqual(subsets);
  });

  it('have the labels of the Service, and marks of the controller', () => {
    const headless = service({ clusterIP: 'None' }, { tier: 'front' });
    const made = decide(headless, [], undefined);
    expect(made?.metadata.labels).toEqual({
      tier: 'front',
      'service.kubernetes.io/headless': '',
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    });
    expect(decide(headless, [], made)).toBeUndefined();
    expect(decide(service({}, { tier: 'front' }), [], made)?.metadata.labels).not.toHaveProperty([
      'service.kubernetes.io/headless',
    ]);
  });
});
