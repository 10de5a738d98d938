import type { Body } from './body.js';
import { accepted, create } from './reading.js';
import type { Scope } from './scope.js';
import { container } from './workloads.js';

/** Creates a node without a kubelet. @returns its name. */
export async function createNode(scope: Scope): Promise<string> {
  const name = scope.name('node');
  scope.deleteAfterwards(`/api/v1/nodes/${name}`);
  await create(scope, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] };
  accepted(await scope.api.patch(`/api/v1/nodes/${name}/status`, 'strategic', { status }));
  return name;
}

/** Waits for the service account that pods of a namespace run as. */
async function awaitServiceAccount(scope: Scope, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await scope.eventually(path, ({ status }) => status === 200);
}

/** The fields of a pod to create in addition to its name. `spec` is added to a spec that no scheduler handles. */
export interface PodOptions {
  namespace?: string;
  metadata?: Readonly<Record<string, unknown>>;
  spec?: Readonly<Record<string, unknown>>;
}

/** Returns the path of a pod. */
export function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** Creates a pod that nothing schedules or runs, and deletes it at once after the case. @returns it. */
export async function createPod(scope: Scope, options: PodOptions = {}): Promise<Body> {
  const { namespace = scope.namespace, metadata, spec } = options;
  await awaitServiceAccount(scope, namespace);
  const name = scope.name('pod');
  scope.cleanup((api) => api.delete(podPath(namespace, name), { query: { gracePeriodSeconds: 0 } }));
  return create(scope, `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      schedulerName: 'none.conformance.interlock.dev',
      automountServiceAccountToken: false,
      containers: [container('app')],
      ...spec,
    },
  });
}

/** Writes the status of a pod, as a kubelet does. @returns the pod. */
export async function setStatus(
  scope: Scope,
  { metadata: { namespace = '', name } }: Body,
  status: Readonly<Record<string, unknown>>,
): Promise<Body> {
  return accepted(await scope.api.patch(`${podPath(namespace, name)}/status`, 'strategic', { status }));
}

/** Returns the status of a running pod, which is ready or not. */
export function running({ ready = true, ip }: { ready?: boolean; ip?: string } = {}): Record<
  string,
  unknown
> {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    ...(ip !== undefined && { podIP: ip, podIPs: [{ ip }] }),
  };
}

/** Creates a pod on a node with the status of a running pod. @returns it. */
export async function createRunning(
  scope: Scope,
  node: string,
  options: PodOptions & { ready?: boolean; ip?: string } = {},
): Promise<Body> {
  const pod = await createPod(scope, { ...options, spec: { nodeName: node, ...options.spec } });
  return setStatus(scope, pod, running(options));
}
