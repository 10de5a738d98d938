import { endpointSlice } from '../../builtin/endpoint-slice.js';
import { objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { keyOf } from '../../store/entry.js';
import type { Store } from '../../store/store.js';

/** The address of a port of a Service, or the reason why there is none. */
export type ServiceAddress = { dialled: URL } | { problem: string };

/**
 * Returns the address of a port of a Service: an existing port at its cluster IP, or any port at its external name
 * (apiserver pkg/util/proxy, ResolveCluster, with the same errors). Cluster IPs are not allocated here. A Service
 * without a cluster IP resolves to a ready endpoint (ResolveEndpoint, which an API server with
 * `--enable-aggregator-routing` uses).
 */
export function resolveService(store: Store, namespace: string, name: string, port: number): ServiceAddress {
  const service = store.get('services', keyOf(namespace, name))?.object;
  if (service === undefined) return { problem: `service ${JSON.stringify(name)} not found` };
  if (textAt(service, 'spec', 'type') === 'ExternalName') {
    return { dialled: urlOf(textAt(service, 'spec', 'externalName'), port) };
  }
  const clusterIP = textAt(service, 'spec', 'clusterIP');
  if (clusterIP === 'None') return { problem: 'cannot route to service with ClusterIP "None"' };
  const servicePort = objectsAt(service, 'spec', 'ports').find((one) => one['port'] === port);
  if (servicePort === undefined) {
    return { problem: `no service port ${String(port)} found for service ${JSON.stringify(name)}` };
  }
  if (clusterIP !== '') return { dialled: urlOf(clusterIP, port) };
  const slices = store.entries(endpointSlice.collection, namespace).map(({ object }) => object);
  const urls = slices
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap((slice) => endpointsOf(slice, servicePort));
  const dialled = urls[Math.floor(Math.random() * urls.length)];
  if (dialled === undefined) {
    return { problem: `no endpoints available for service ${JSON.stringify(name)}` };
  }
  return { dialled };
}

/** Returns the ready endpoints of a slice at a port of the Service. */
function endpointsOf(slice: KubeObject, servicePort: JsonObject): URL[] {
  const name = textAt(servicePort, 'name');
  const port = objectsAt(slice, 'ports').find((one) => textAt(one, 'name') === name)?.['port'];
  if (typeof port !== 'number') return [];
  return objectsAt(slice, 'endpoints')
    .filter((endpoint) => objectAt(endpoint, 'conditions')['ready'] !== false)
    .flatMap((endpoint) => textsAt(endpoint, 'addresses'))
    .map((address) => urlOf(address, port));
}

function urlOf(host: string, port: number): URL {
  return new URL(`https://${host.includes(':') ? `[${host}]` : host}:${String(port)}`);
}
