import { textAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { isReady } from '../pod-state.js';
import {
  addressesOf,
  headlessLabel,
  hostnameOf,
  isEndpoint,
  isHeadless,
  portsOf,
  publishesNotReady,
  referenceTo,
} from './pod-endpoint.js';

/** The label of Endpoints that the controller manages, and its value. */
export const managedBy = { label: 'endpoints.kubernetes.io/managed-by', value: 'endpoint-controller' };

/**
 * Returns the Endpoints of a Service; undefined if the stored ones are up to date. Source: Kubernetes
 * pkg/controller/endpoint.
 */
export function decide(
  service: KubeObject,
  pods: readonly KubeObject[],
  stored: KubeObject | undefined,
): KubeObject | undefined {
  const { name, namespace = '', labels = {} } = service.metadata;
  const { [headlessLabel]: _headless, ...own } = labels;
  const metadata = {
    ...(stored?.metadata ?? { name, namespace }),
    labels: {
      ...own,
      ...(isHeadless(service) && { [headlessLabel]: '' }),
      [managedBy.label]: managedBy.value,
    },
  };
  const subsets = subsetsOf(service, pods);
  const desired: KubeObject = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata,
    ...(subsets.length > 0 && { subsets }),
  };
  const isCurrent =
    stored !== undefined &&
    jsonEqual(stored.metadata.labels, metadata.labels) &&
    jsonEqual(stored['subsets'] ?? [], subsets);
  return isCurrent ? undefined : desired;
}

interface Subset {
  ports: JsonObject[];
  addresses: JsonObject[];
  notReadyAddresses: JsonObject[];
}

/** Groups the addresses by their ports, in a fixed order. */
function subsetsOf(service: KubeObject, pods: readonly KubeObject[]): JsonObject[] {
  const terminating = publishesNotReady(service);
  const groups = new Map<string, Subset>();
  for (const pod of pods) {
    const [ip] = addressesOf(pod);
    if (ip === undefined || !isEndpoint(pod, { terminating })) continue;
    const ports = portsOf(service, pod).map(withoutEmptyName);
    if (ports.length === 0 && !isHeadless(service)) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, addresses: [], notReadyAddresses: [] };
    groups.set(key, group);
    const isListedReady = terminating || isReady(pod);
    (isListedReady ? group.addresses : group.notReadyAddresses).push(addressOf(service, pod, ip));
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { addresses, notReadyAddresses, ports }]) => ({
      ...(addresses.length > 0 && { addresses: sorted(addresses) }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses: sorted(notReadyAddresses) }),
      ...(ports.length > 0 && { ports: byName(ports) }),
    }));
}

/** Endpoints omit the name of an unnamed port. */
function withoutEmptyName(port: JsonObject): JsonObject {
  const { name, ...unnamed } = port;
  return name === '' ? unnamed : port;
}

function addressOf(service: KubeObject, pod: KubeObject, ip: string): JsonObject {
  const nodeName = textAt(pod, 'spec', 'nodeName');
  const hostname = hostnameOf(service, pod);
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== '' && { nodeName }),
    targetRef: referenceTo(pod),
  };
}

function sorted(addresses: readonly JsonObject[]): JsonObject[] {
  const keyOf = (address: JsonObject): string =>
    `${textAt(address, 'ip')} ${textAt(address, 'targetRef', 'uid')}`;
  return [...addresses].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function byName(ports: readonly JsonObject[]): JsonObject[] {
  return [...ports].sort((a, b) => (textAt(a, 'name') < textAt(b, 'name') ? -1 : 1));
}
