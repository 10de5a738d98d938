import type { Body } from './body.js';
import type { Scope } from './scope.js';
import { container } from './workloads.js';

/** Requests and limits of a container. */
export interface Resources {
  requests?: Readonly<Record<string, string>>;
  limits?: Readonly<Record<string, string>>;
}

/** Returns a pod to create, with one container. No scheduler handles it, so it stays pending on any cluster. */
export function pod(
  name: string,
  resources: Resources = {},
  spec: Readonly<Record<string, unknown>> = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      schedulerName: 'conformance.interlock.dev/none',
      containers: [container('app', { resources })],
      ...spec,
    },
  };
}

/** Creates a namespace for one case, in which pods can be created at once. @returns the path of its core kinds. */
export async function podNamespace(scope: Scope): Promise<string> {
  const path = `/api/v1/namespaces/${await scope.ownNamespace()}`;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  const { status, text } = await scope.api.post(`${path}/serviceaccounts`, account);
  /* A controller manager may have been faster. */
  if (status !== 201 && status !== 409)
    throw new Error(`the service account is not created: ${status} ${text}`);
  return path;
}

/** Returns the resources of the first container of a pod. */
export function resourcesOf({ spec }: Body): unknown {
  return (spec as { containers: { resources?: unknown }[] }).containers[0]?.resources;
}
