import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import { portOf } from '../probes/network-call.js';

/** Addresses (`ip:port`) of the ready pods behind each port of each Service, by `<service>.<namespace>`. */
export type ServiceTable = Record<string, Record<string, string[]>>;

/** Returns the endpoints of the Services of a cluster. A Service without a selector has no entry. */
export function serviceTable(services: readonly KubeObject[], pods: readonly KubeObject[]): ServiceTable {
  const table: ServiceTable = {};
  for (const service of services) {
    const selector = Object.entries(objectAt(service, 'spec', 'selector'));
    if (selector.length === 0) continue;
    const { namespace = '', name } = service.metadata;
    const matching = pods.filter(
      (pod) =>
        pod.metadata.namespace === namespace &&
        isReady(pod, service) &&
        selector.every(([key, value]) => pod.metadata.labels?.[key] === value),
    );
    const ports = objectsAt(service, 'spec', 'ports');
    table[`${name}.${namespace}`] = Object.fromEntries(
      ports.map(({ port, targetPort }) => [
        String(port),
        matching.flatMap((pod) => addressOf(pod, targetPort ?? port)),
      ]),
    );
  }
  return table;
}

function isReady(pod: KubeObject, service: KubeObject): boolean {
  if (textAt(pod, 'status', 'podIP') === '') return false;
  if (objectAt(service, 'spec')['publishNotReadyAddresses'] === true) return true;
  const ready = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return ready?.['status'] === 'True' && pod.metadata.deletionTimestamp === undefined;
}

function addressOf(pod: KubeObject, targetPort: Parameters<typeof portOf>[0]): string[] {
  const containers = objectsAt(pod, 'spec', 'containers');
  const ports = { ports: containers.flatMap((container) => objectsAt(container, 'ports')) };
  const port = portOf(targetPort, ports);
  return port === undefined ? [] : [`${textAt(pod, 'status', 'podIP')}:${port}`];
}
