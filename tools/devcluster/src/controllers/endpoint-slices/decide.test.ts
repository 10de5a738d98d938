import { describe, expect, it } from '@jest/globals';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decide, type Write } from './decide.js';

const service: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'team', uid: 'service', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }] },
};

const labels = {
  tier: 'front',
  'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  'kubernetes.io/service-name': 'web',
};

const ports: JsonObject[] = [{ name: 'http', port: 8080, protocol: 'TCP' }];

function pod(index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${String(index)}`, namespace: 'team', uid: `uid-${String(index)}` },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      podIP: `10.0.${String(index >> 8)}.${String(index & 255)}`,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

const pods = (from: number, count: number): KubeObject[] =>
  Array.from({ length: count }, (_, index) => pod(from + index));

const node: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } },
};

function run(slices: readonly KubeObject[], running: readonly KubeObject[], over = service): Write[] {
  const nodeOf = (name: string): KubeObject | undefined => (name === 'n' ? node : undefined);
  return decide({ service: over, pods: running, nodeOf, slices });
}

/** Returns the slices after the writes. */
function apply(slices: readonly KubeObject[], writes: readonly Write[]): KubeObject[] {
  let created = Math.max(0, ...slices.map(({ metadata }) => Number(metadata.name.split('-')[1])));
  return writes.reduce<KubeObject[]>(
    (present, write) => {
      if (write.kind === 'delete') return present.filter(({ metadata }) => metadata.name !== write.name);
      if (write.kind === 'create') {
        const name = `slice-${String(++created)}`;
        return [...present, { ...write.slice, metadata: { ...write.slice.metadata, name } }];
      }
      return present.map((one) => (one.metadata.name === write.slice.metadata.name ? write.slice : one));
    },
    [...slices],
  );
}

const sizes = (slices: readonly KubeObject[]): number[] =>
  slices.map((slice) => objectsAt(slice, 'endpoints').length);

describe('The EndpointSlices of a Service', () => {
  it('contain the pods with their conditions, node and zone', () => {
    const [write] = run([], [pod(1)]);
    expect(write).toMatchObject({
      kind: 'create',
      slice: {
        metadata: { generateName: 'web-', labels },
        addressType: 'IPv4',
        ports,
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: 'n',
            zone: 'z',
            targetRef: { kind: 'Pod', namespace: 'team', name: 'p1', uid: 'uid-1' },
          },
        ],
      },
    });
  });

  it.each<[string, (one: KubeObject) => KubeObject, JsonObject | undefined]>([
    [
      'is being deleted',
      (one) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: 'x' } }),
      { ready: false, serving: true, terminating: true },
    ],
    [
      'is not ready',
      (one) => ({ ...one, status: { ...(pod(1)['status'] as JsonObject), conditions: [] } }),
      { ready: false, serving: false, terminating: false },
    ],
    ['has ended', (one) => ({ ...one, status: { phase: 'Failed', podIP: '10.0.0.1' } }), undefined],
    ['has no address', (one) => ({ ...one, status: { phase: 'Running' } }), undefined],
    ['is on a node that does not exist', (one) => ({ ...one, spec: { nodeName: 'other' } }), undefined],
  ])('contain the conditions of a pod, or omit the pod, that %s', (_, change, conditions) => {
    const [write] = run([], [change(pod(1))]);
    const endpoints = write?.kind === 'create' ? objectsAt(write.slice, 'endpoints') : [];
    expect(endpoints.map((one) => one['conditions'])).toEqual(conditions === undefined ? [] : [conditions]);
  });

  it('contain at most 100 endpoints each', () => {
    expect(sizes(apply([], run([], pods(0, 250))))).toEqual([100, 100, 50]);
  });

  it('keep endpoints in their slice, and add new endpoints to slices with room', () => {
    const first = apply([], run([], pods(0, 250)));
    const after = apply(first, run(first, [...pods(0, 90), ...pods(100, 150), ...pods(300, 5)]));
    expect(sizes(after)).toEqual([95, 100, 50]);
    expect(run(after, [...pods(0, 90), ...pods(100, 150), ...pods(300, 5)])).toEqual([]);
  });

  it('fill the fullest slice with room for the new endpoints before they add a slice', () => {
    const first = apply([], run([], pods(0, 150)));
    expect(sizes(apply(first, run(first, pods(0, 160))))).toEqual([100, 60]);
    expect(sizes(apply(first, run(first, pods(0, 260))))).toEqual([100, 60, 100]);
  });

  it('are deleted when they are empty, except for one', () => {
    const first = apply([], run([], pods(0, 150)));
    const some = apply(first, run(first, pods(120, 5)));
    expect(sizes(some)).toEqual([5]);
    const none = apply(some, run(some, []));
    expect(none).toMatchObject([{ endpoints: null, ports: null, addressType: 'IPv4' }]);
    expect(run(none, [])).toEqual([]);
  });

  it('are separate for pods whose named ports differ', () => {
    const named = { ...service, spec: { ports: [{ name: 'http', port: 80, targetPort: 'web' }] } };
    const serving = (index: number, containerPort: number): KubeObject => ({
      ...pod(index),
      spec: { nodeName: 'n', containers: [{ name: 'c', ports: [{ name: 'web', containerPort }] }] },
    });
    const slices = apply([], run([], [serving(1, 1), serving(2, 2), serving(3, 1)], named));
    expect(slices.map((slice) => [objectsAt(slice, 'ports')[0]?.['port'], sizes([slice])[0]])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('have the labels of the Service, and a mark for a headless Service', () => {
    const slices = apply([], run([], [pod(1)]));
    const headless = {
      ...service,
      metadata: { ...service.metadata, labels: {} },
      spec: { ...(service['spec'] as JsonObject), clusterIP: 'None' },
    };
    const { tier: _tier, ...own } = labels;
    expect(run(slices, [pod(1)], headless)).toMatchObject([
      { kind: 'update', slice: { metadata: { labels: { ...own, 'service.kubernetes.io/headless': '' } } } },
    ]);
  });

  it('have one address type for each IP family of the Service', () => {
    const dual = { ...service, spec: { ...(service['spec'] as JsonObject), ipFamilies: ['IPv6', 'IPv4'] } };
    const both = {
      ...pod(1),
      status: { ...(pod(1)['status'] as JsonObject), podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] },
    };
    const slices = apply([], run([], [both], dual));
    expect(slices).toMatchObject([
      { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] },
      { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] },
    ]);
    expect(run(slices, [both])).toEqual([{ kind: 'delete', name: 'slice-1' }]);
  });
});
