import type { Answer } from './api.js';
import type { Body } from './body.js';
import { conditionOf, isReady } from './conditions.js';
import type { Scope } from './scope.js';
import { create } from './write.js';

/** An image whose container runs until it is stopped. */
const pauseImage = 'registry.k8s.io/pause:3.10';

/** Returns a container that runs until it is stopped. */
export function pauseContainer(fields: object = {}): object {
  return { name: 'app', image: pauseImage, ...fields };
}

/** Creates a pod that is deleted after the case. @returns it and its path. */
export async function createPod(
  scope: Scope,
  prefix: string,
  { labels, finalizers, ...spec }: Record<string, unknown> = {},
): Promise<{ name: string; path: string; created: Body }> {
  await scope.eventually(scope.core('serviceaccounts', 'default'), ({ status }) => status === 200);
  const name = scope.name(prefix);
  const created = await create(scope, scope.core('pods'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, finalizers },
    spec: { containers: [pauseContainer()], ...spec },
  });
  return { name, path: scope.core('pods', name), created };
}

/** Waits until a pod is ready. */
export function untilReady(scope: Scope, path: string): Promise<Answer> {
  return scope.eventually(path, ({ body }) => isReady(body));
}

/** Waits until a pod is assigned to a node. */
export function untilAssigned(scope: Scope, path: string): Promise<Answer> {
  return scope.eventually(path, ({ body }) => body.spec?.['nodeName'] !== undefined);
}

/** Waits until the scheduler reports that a pod fits on no node. @returns its message. */
export async function untilUnschedulable(scope: Scope, path: string): Promise<string> {
  const { body } = await scope.eventually(
    path,
    (answer) => conditionOf(answer.body, 'PodScheduled')?.reason === 'Unschedulable',
  );
  return conditionOf(body, 'PodScheduled')?.message ?? '';
}

/** Waits for a node that accepts pods without tolerations. */
export async function openNode(scope: Scope): Promise<Body> {
  const isOpen = (node: Body): boolean =>
    isReady(node) && node.spec?.['unschedulable'] !== true && node.spec?.['taints'] === undefined;
  const { body } = await scope.eventually('/api/v1/nodes', (answer) => answer.body.items.some(isOpen));
  const node = body.items.find(isOpen);
  if (node === undefined) throw new Error('no node takes pods');
  return node;
}

/** Returns the nodeSelector of a node. */
export function onNode({ metadata }: Body): { nodeSelector: Record<string, string> } {
  const label = 'kubernetes.io/hostname';
  return { nodeSelector: { [label]: metadata.labels?.[label] ?? metadata.name } };
}
