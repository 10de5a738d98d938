import type { Body } from './body.js';
import { create } from './reading.js';
import type { Scope } from './scope.js';

/** Creates a Service with one port 80 and the fields of `spec` for the pods with the label `app`. @returns it. */
export async function createService(
  scope: Scope,
  app: string,
  spec: Readonly<Record<string, unknown>> = {},
  labels: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const name = scope.name('service');
  scope.deleteAfterwards(scope.core('services', name));
  return create(scope, scope.core('services'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: { selector: { app }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
}

interface Subset {
  addresses?: Record<string, unknown>[];
  notReadyAddresses?: Record<string, unknown>[];
  ports?: Record<string, unknown>[];
}

/** Waits until the Endpoints of a Service pass a check. @returns them. */
export async function endpointsOf(
  scope: Scope,
  service: Body,
  passes: (subsets: readonly Subset[]) => boolean,
): Promise<Body & { subsets?: Subset[] }> {
  const path = scope.core('endpoints', service.metadata.name);
  const answer = await scope.eventually(
    path,
    ({ status, body }) => status === 200 && passes((body['subsets'] ?? []) as Subset[]),
  );
  return answer.body as Body & { subsets?: Subset[] };
}

interface Endpoint extends Record<string, unknown> {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
}

/** An EndpointSlice of discovery.k8s.io/v1. */
type Slice = Body & {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: Record<string, unknown>[] | null;
};

export const slices = (namespace: string): string =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

/** Waits until the slices of a Service pass a check. @returns them. */
export async function slicesOf(
  scope: Scope,
  service: Body,
  passes: (endpoints: readonly Endpoint[], slices: readonly Slice[]) => boolean,
): Promise<Slice[]> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service.metadata.name}`);
  const { body } = await scope.eventually(
    `${slices(scope.namespace)}?labelSelector=${selector}`,
    (answer) => {
      const found = answer.body.items as Slice[];
      return (
        found.length > 0 &&
        passes(
          found.flatMap(({ endpoints }) => endpoints ?? []),
          found,
        )
      );
    },
  );
  return body.items as Slice[];
}
