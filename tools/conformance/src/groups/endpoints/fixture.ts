import type { Body } from '../../suite/body.js';
import { createNode, createRunning, type PodOptions } from '../../suite/running-pods.js';
import type { Scope } from '../../suite/scope.js';
import { createService } from '../../suite/services.js';

/** The fixture of a case about endpoints: a node, pods on it, and a Service that selects them. */
interface EndpointFixture {
  node: string;
  /** Creates a pod with the status of a running pod, and returns it. */
  run: (options?: Omit<PodOptions, 'metadata'> & { ready?: boolean; ip?: string }) => Promise<Body>;
  /** Creates the Service. @returns it. */
  serve: (
    spec?: Readonly<Record<string, unknown>>,
    labels?: Readonly<Record<string, string>>,
  ) => Promise<Body>;
}

/** Creates the node. */
export async function endpointFixture(scope: Scope): Promise<EndpointFixture> {
  const app = scope.name('app');
  const node = await createNode(scope);
  return {
    node,
    run: (options) => createRunning(scope, node, { ...options, metadata: { labels: { app } } }),
    serve: (spec, labels) => createService(scope, app, spec, labels),
  };
}

/** Returns the reference from an endpoint to a pod. */
export function targetRef({ metadata: { namespace, name, uid } }: Body): Record<string, unknown> {
  return { kind: 'Pod', namespace, name, uid };
}
