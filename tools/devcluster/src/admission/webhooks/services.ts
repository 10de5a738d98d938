import { objectsAt, textAt } from '../../object.js';
import { keyOf } from '../../store/entry.js';
import type { Store } from '../../store/store.js';

/** Where a port of a Service is dialled, or why it cannot be. */
export type ServiceAddress = { dialled: URL } | { problem: string };

/**
 * Returns where a port of a Service is dialled: at its cluster IP, at a port that it has; or at any port of the external
 * name that it stands for (apiserver pkg/util/proxy, ResolveCluster, whose errors these are).
 */
export function resolveService(store: Store, namespace: string, name: string, port: number): ServiceAddress {
  const service = store.get('services', keyOf(namespace, name))?.object;
  if (service === undefined) return { problem: `service ${JSON.stringify(name)} not found` };
  if (textAt(service, 'spec', 'type') === 'ExternalName') {
    return { dialled: new URL(`https://${textAt(service, 'spec', 'externalName')}:${String(port)}`) };
  }
  const clusterIP = textAt(service, 'spec', 'clusterIP');
  if (clusterIP === 'None') return { problem: 'cannot route to service with ClusterIP "None"' };
  if (!objectsAt(service, 'spec', 'ports').some((one) => one['port'] === port)) {
    return { problem: `no service port ${String(port)} found for service ${JSON.stringify(name)}` };
  }
  /* No address is allocated here; one that the Service was written with is dialled. */
  if (clusterIP === '') return { problem: `service ${JSON.stringify(name)} has no cluster IP` };
  const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP;
  return { dialled: new URL(`https://${host}:${String(port)}`) };
}
