import { describe, expect, it } from '@jest/globals';
import { decodeProtobuf } from './decode.js';
import { ProtobufError } from './wire.js';

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
const text = (value: string): number[] => [...Buffer.from(value)];
const bytes = (number: number, content: number[]): number[] => [
  ...varint(number * 8 + 2),
  ...varint(content.length),
  ...content,
];
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const entry = (key: string, value: number[]): number[] => [...bytes(1, text(key)), ...bytes(2, value)];

function envelope(apiVersion: string, kind: string, object: number[]): Uint8Array {
  const type = [...bytes(1, text(apiVersion)), ...bytes(2, text(kind))];
  return Uint8Array.from([...text('k8s\0'), ...bytes(1, type), ...bytes(2, object)]);
}

describe('decodeProtobuf', () => {
  it('decodes maps, bytes and times, and omits zero values', () => {
    const time = [...number(1, 1_700_000_000)];
    const metadata = [
      ...bytes(1, text('s')),
      ...bytes(2, []),
      ...number(7, 0),
      ...bytes(8, time),
      ...bytes(9, []),
      ...bytes(11, entry('a', text('b'))),
      ...bytes(11, entry('c', text('d'))),
    ];
    const secret = [...bytes(1, metadata), ...bytes(2, entry('k', [1, 2])), ...bytes(3, []), ...number(5, 0)];
    expect(decodeProtobuf(envelope('v1', 'Secret', secret))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', creationTimestamp: '2023-11-14T22:13:20Z', labels: { a: 'b', c: 'd' } },
      data: { k: 'AQI=' },
      immutable: false,
    });
  });

  it('decodes lists, optional numbers and the two kinds of IntOrString', () => {
    const update = [
      ...bytes(1, [...number(1, 1), ...number(2, 0), ...bytes(3, text('25%'))]),
      ...bytes(2, [...number(1, 0), ...number(2, 300), ...bytes(3, [])]),
    ];
    const spec = [...number(1, 0), ...bytes(4, bytes(2, update)), ...number(5, 0)];
    expect(decodeProtobuf(envelope('apps/v1', 'Deployment', bytes(2, spec)))['spec']).toEqual({
      replicas: 0,
      strategy: { rollingUpdate: { maxUnavailable: '25%', maxSurge: 300 } },
    });
  });

  it('decodes the objects of kubectl autoscale', () => {
    const reference = [
      ...bytes(1, text('Deployment')),
      ...bytes(2, text('web')),
      ...bytes(3, text('apps/v1')),
    ];
    const range = [...bytes(1, reference), ...number(2, 2), ...number(3, 5)];
    const autoscaler = bytes(2, [...range, ...number(4, 60)]);
    expect(decodeProtobuf(envelope('autoscaling/v1', 'HorizontalPodAutoscaler', autoscaler))['spec']).toEqual(
      {
        scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
        minReplicas: 2,
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 60,
      },
    );
    const target = [...bytes(1, text('Utilization')), ...number(4, 60)];
    const source = [...bytes(1, text('cpu')), ...bytes(2, target)];
    const metric = [...bytes(1, text('Resource')), ...bytes(4, source)];
    const newer = bytes(2, [...range, ...bytes(4, metric)]);
    expect(
      decodeProtobuf(envelope('autoscaling/v2', 'HorizontalPodAutoscaler', newer))['spec'],
    ).toMatchObject({
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      ],
    });
  });

  it('ignores the status', () => {
    const review = [...bytes(2, bytes(1, bytes(2, text('get')))), ...bytes(3, number(1, 1))];
    expect(decodeProtobuf(envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', review))).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get' } },
    });
  });

  it.each([
    ['a body without an envelope', Uint8Array.from(text('{}'))],
    ['an unknown kind', envelope('v1', 'Node', [])],
    ['a field that would be lost', envelope('v1', 'ConfigMap', bytes(9, text('x')))],
    ['a message that is cut off', envelope('v1', 'ConfigMap', [0x0a, 0x20, 0x01])],
    ['an unknown wire type', envelope('v1', 'ConfigMap', [0x0b])],
  ])('refuses %s', (_title, body) => {
    expect(() => decodeProtobuf(body)).toThrow(ProtobufError);
  });
});
