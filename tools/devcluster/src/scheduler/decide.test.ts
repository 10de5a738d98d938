import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { decide } from './decide.js';
import { podInfo, type Snapshot } from './snapshot.js';
import { node, pod, snapshot } from './testing/objects.js';

const near = (app: string): JsonObject => ({
  requiredDuringSchedulingIgnoredDuringExecution: [
    { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
  ],
});
const nodeAffinity = (...terms: JsonObject[]): JsonObject => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});
const zone = (operator: string, ...values: string[]): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator, values }],
});

function nodeFor(one: KubeObject, seen: Snapshot): string {
  const decision = decide(podInfo(one), seen);
  return decision.kind === 'bind' ? decision.node : decision.message;
}

const two = [node('a', { labels: { zone: 'x' } }), node('b', { labels: { zone: 'y' } })];
const dedicated = { key: 'dedicated', value: 'ci', effect: 'NoSchedule' };

describe('a pod that fits', () => {
  it.each<[string, KubeObject, Snapshot, string]>([
    ['is assigned to the first of equal nodes', pod('p'), snapshot(two), 'a'],
    [
      'is assigned to the node with the most free resources',
      pod('p', { requests: { cpu: '1' } }),
      snapshot(two, [pod('q', { nodeName: 'a', requests: { cpu: '1' } })]),
      'b',
    ],
    ['is spread even without requests', pod('p'), snapshot(two, [pod('q', { nodeName: 'a' })]), 'b'],
    [
      'is assigned to the node of its nodeSelector',
      pod('p', { nodeSelector: { zone: 'y' } }),
      snapshot(two),
      'b',
    ],
    [
      'is assigned to a node that its node affinity allows',
      pod('p', nodeAffinity(zone('NotIn', 'x'))),
      snapshot(two),
      'b',
    ],
    [
      'requires one of the terms of its node affinity',
      pod(
        'p',
        nodeAffinity(zone('In', 'z'), {
          matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }],
        }),
      ),
      snapshot(two),
      'b',
    ],
    [
      'is assigned to a node whose taint it tolerates',
      pod('p', { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }),
      snapshot([node('a', { taints: [dedicated] })]),
      'a',
    ],
    [
      'avoids a node with a taint of the effect PreferNoSchedule',
      pod('p'),
      snapshot(
        [node('a', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }), node('b')],
        [pod('q', { nodeName: 'b' })],
      ),
      'b',
    ],
    [
      'is assigned to the node of a pod that its affinity requires',
      pod('p', { affinity: { podAffinity: near('db') } }),
      snapshot(two, [pod('q', { nodeName: 'b', labels: { app: 'db' } })]),
      'b',
    ],
    [
      'may be the first of a group whose pods require each other',
      pod('p', { labels: { app: 'db' }, affinity: { podAffinity: near('db') } }),
      snapshot(two),
      'a',
    ],
    [
      'is assigned to the node for which it is nominated',
      pod('p', { status: { nominatedNodeName: 'b' } }),
      snapshot(two, [pod('q', { nodeName: 'b' })]),
      'b',
    ],
  ])('%s', (_title, one, seen, expected) => {
    expect(nodeFor(one, seen)).toBe(expected);
  });
});

const notHelpful = 'Preemption is not helpful for scheduling.';

describe('a pod that does not fit', () => {
  it.each<[string, KubeObject, Snapshot, string]>([
    ['without nodes', pod('p'), snapshot([]), 'no nodes available to schedule pods'],
    [
      'that requests more than any node has',
      pod('p', { requests: { cpu: '8', memory: '1Ti' } }),
      snapshot(two),
      `0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory. preemption: 0/2 nodes are available: 2 ${notHelpful}`,
    ],
    [
      'for different reasons',
      pod('p', { requests: { cpu: '3' } }),
      snapshot(
        [node('a'), node('b', { taints: [dedicated] })],
        [pod('q', { nodeName: 'a', requests: { cpu: '2' } })],
      ),
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
    ],
    [
      'for lack of an extended resource',
      pod('p', { requests: { 'example.com/gpu': '1' } }),
      snapshot([node('a')]),
      `0/1 nodes are available: 1 Insufficient example.com/gpu. preemption: 0/1 nodes are available: 1 ${notHelpful}`,
    ],
    [
      'on a node that has its maximum number of pods',
      pod('p'),
      snapshot([node('a', { allocatable: { pods: '1' } })], [pod('q', { nodeName: 'a' })]),
      '0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'on a cordoned node',
      pod('p'),
      snapshot([node('a', { unschedulable: true })]),
      `0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 ${notHelpful}`,
    ],
    [
      'because of its nodeSelector',
      pod('p', { nodeSelector: { zone: 'z' } }),
      snapshot(two),
      `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 ${notHelpful}`,
    ],
    [
      'on a node without a pod that its affinity requires',
      pod('p', { affinity: { podAffinity: near('db') } }),
      snapshot([node('a')]),
      `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. preemption: 0/1 nodes are available: 1 ${notHelpful}`,
    ],
    [
      'on a node with a pod that its anti-affinity excludes',
      pod('p', { affinity: { podAntiAffinity: near('db') } }),
      snapshot([node('a')], [pod('q', { nodeName: 'a', labels: { app: 'db' } })]),
      "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      'on a node with a pod whose anti-affinity excludes it',
      pod('p', { labels: { app: 'web' } }),
      snapshot([node('a')], [pod('q', { nodeName: 'a', affinity: { podAntiAffinity: near('web') } })]),
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      'on a node whose port is in use',
      pod('p', { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80 }] }] }),
      snapshot(
        [node('a')],
        [
          pod('q', {
            nodeName: 'a',
            containers: [{ name: 'c', ports: [{ containerPort: 2, hostPort: 80, hostIP: '127.0.0.1' }] }],
          }),
        ],
      ),
      "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      'that may not preempt',
      pod('p', { priority: 10, preemptionPolicy: 'Never', requests: { cpu: '3' } }),
      snapshot([node('a')], [pod('q', { nodeName: 'a', requests: { cpu: '2' } })]),
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    ],
    [
      'whose victims are terminating',
      pod('p', { priority: 10, requests: { cpu: '3' }, status: { nominatedNodeName: 'a' } }),
      snapshot([node('a')], [preempted(pod('q', { nodeName: 'a', requests: { cpu: '2' } }))]),
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.',
    ],
    [
      'on a node for which a more important pod is nominated',
      pod('p', { requests: { cpu: '3' } }),
      snapshot(
        [node('a')],
        [pod('q', { priority: 5, requests: { cpu: '2' }, status: { nominatedNodeName: 'a' } })],
      ),
      '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
  ])('%s causes a message with the reason', (_title, one, seen, expected) => {
    expect(nodeFor(one, seen)).toBe(expected);
  });
});

function preempted(victim: KubeObject): KubeObject {
  victim.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };
  victim['status'] = { phase: 'Running', conditions: [condition] };
  return victim;
}

const running = (name: string, on: string, priority: number, cpu: string, labels = {}): KubeObject =>
  pod(name, {
    nodeName: on,
    priority,
    requests: { cpu },
    labels,
    status: { startTime: `2026-01-01T00:00:0${cpu}Z` },
  });
const budget = (app: string, disruptionsAllowed: number): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed },
});

describe('a pod of high priority', () => {
  const important = pod('p', { priority: 100, requests: { cpu: '2' } });

  it.each<[string, Snapshot, string, string[]]>([
    [
      'preempts the least important pods that free enough resources',
      snapshot([node('a')], [running('q', 'a', 1, '2'), running('r', 'a', 2, '2')]),
      'a',
      ['q'],
    ],
    [
      'does not preempt pods that can stay',
      snapshot([node('a')], [running('q', 'a', 0, '1'), running('r', 'a', 0, '3')]),
      'a',
      ['r'],
    ],
    [
      'is nominated for the node whose victims are less important',
      snapshot(two, [running('q', 'a', 5, '3'), running('r', 'b', 4, '3')]),
      'b',
      ['r'],
    ],
    [
      'is nominated for the node with fewer victims',
      snapshot(two, [
        ...['q', 'r', 's', 't'].map((name) => running(name, 'a', 1, '1')),
        running('u', 'b', 1, '3'),
      ]),
      'b',
      ['u'],
    ],
    [
      'is nominated for the node where no budget protects the victims',
      snapshot(two, [running('q', 'a', 1, '3', { app: 'db' }), running('r', 'b', 9, '3')], [budget('db', 0)]),
      'b',
      ['r'],
    ],
    [
      'violates a budget when no other node can be freed',
      snapshot([node('a')], [running('q', 'a', 1, '3', { app: 'db' })], [budget('db', 0)]),
      'a',
      ['q'],
    ],
    [
      'prefers pods that no budget protects on the same node',
      snapshot(
        [node('a')],
        [running('q', 'a', 1, '2', { app: 'db' }), running('r', 'a', 9, '2')],
        [budget('db', 0)],
      ),
      'a',
      ['r'],
    ],
  ])('%s', (_title, seen, nominatedNode, victims) => {
    const decision = decide(podInfo(important), seen);
    expect(decision).toMatchObject({ kind: 'unschedulable', nominatedNode });
    expect(decision.kind === 'unschedulable' && decision.victims.map(({ pod }) => pod.metadata.name)).toEqual(
      victims,
    );
  });

  it('does not preempt pods with the same priority', () => {
    const decision = decide(podInfo(important), snapshot([node('a')], [running('q', 'a', 100, '3')]));
    expect(decision).toMatchObject({ nominatedNode: '', victims: [] });
  });
});
