import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { warningsAboutPods } from './existing-pods.js';

function pod(name: string, spec: KubeObject['spec'], owner?: string): KubeObject {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner, controller: true }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ownerReferences }, spec: spec ?? null };
}

const host = { hostNetwork: true };
const path = { volumes: [{ name: 'v', hostPath: {} }] };
const baseline = { level: 'baseline', minor: Infinity } as const;
const head = 'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';

it.each<[string, KubeObject[], string[]]>([
  ['no pods', [], []],
  ['pods that comply with the level', [pod('a', {})], []],
  ['one pod', [pod('a', host)], [head, 'a: host namespaces']],
  [
    'two pods with the same violation',
    [pod('b', host), pod('a', host)],
    [head, 'a (and 1 other pod): host namespaces'],
  ],
  [
    'groups of pods, in the order of their warnings',
    [
      pod('z', host),
      pod('y', host, 'u'),
      pod('x', host, 'u'),
      pod('w', path),
      pod('v', { ...host, ...path }),
    ],
    [
      head,
      'v: host namespaces, hostPath volumes',
      'w: hostPath volumes',
      'x (and 2 other pods): host namespaces',
    ],
  ],
])('returns the warnings about %s', (_what, pods, warnings) => {
  expect(warningsAboutPods('n', baseline, pods)).toEqual(warnings);
});

it('checks the first 3000 pods, first one pod of each controller and then the others', () => {
  const replicas = Array.from({ length: 3001 }, (_, index) => pod(`r${String(index)}`, {}, 'u'));
  expect(warningsAboutPods('n', baseline, [...replicas, pod('a', host)])).toEqual([
    'new PodSecurity enforce level only checked against the first 3000 of 3002 existing pods',
    head,
    'a: host namespaces',
  ]);
});
