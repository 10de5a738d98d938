import { isIPv4, isIPv6 } from 'node:net';
import { objectsAt, textAt, textsAt, type KubeObject } from '../../object.js';
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
} from '../endpoints/pod-endpoint.js';
import { controllerReference } from '../ownership.js';
import { groupKey, pack, type Group } from './reconcile.js';

export const serviceNameLabel = 'kubernetes.io/service-name';
/** The label of slices that the controller manages, and its value. */
export const managedBy = {
  label: 'endpointslice.kubernetes.io/managed-by',
  value: 'endpointslice-controller.k8s.io',
};
const zoneLabel = 'topology.kubernetes.io/zone';

/** The inputs of the slices of a Service. */
interface Observed {
  service: KubeObject;
  pods: readonly KubeObject[];
  /** Returns a node by its name. */
  nodeOf: (name: string) => KubeObject | undefined;
  /** The slices of the Service that the controller manages. */
  slices: readonly KubeObject[];
}

export type Write = { kind: 'create' | 'update'; slice: KubeObject } | { kind: 'delete'; name: string };

/** Returns the writes that bring the EndpointSlices of a Service up to date. Source: k8s.io/endpointslice. */
export function decide(observed: Observed): Write[] {
  const { service, slices } = observed;
  const types = addressTypesOf(service);
  const writes: Write[] = slices
    .filter((slice) => !types.some((type) => type === textAt(slice, 'addressType')))
    .map(({ metadata }) => ({ kind: 'delete', name: metadata.name }));
  for (const type of types) {
    const present = slices.filter((slice) => textAt(slice, 'addressType') === type);
    writes.push(...decideType(observed, type, present));
  }
  return writes;
}

function decideType(
  observed: Observed,
  addressType: Group['addressType'],
  slices: readonly KubeObject[],
): Write[] {
  const { service } = observed;
  const groups = groupsOf(observed, addressType);
  const keys = new Map(slices.map((slice) => [slice, groupKey(addressType, objectsAt(slice, 'ports'))]));
  const removed = slices.filter((slice) => !groups.has(keys.get(slice) ?? ''));
  const writes: Write[] = [];
  let count = 0;
  for (const [key, group] of groups) {
    const packed = pack(
      group,
      slices.filter((slice) => keys.get(slice) === key),
    );
    removed.push(...packed.removed);
    count += packed.kept.length + packed.added.length;
    for (const { slice, endpoints } of packed.kept) writes.push(...changed(service, slice, endpoints));
    for (const endpoints of packed.added) {
      writes.push({ kind: 'create', slice: newSlice(service, { ...group, endpoints }) });
    }
  }
  if (count > 0) return [...writes, ...removed.map(deletion)];
  const placeholder = removed.find(
    (slice) => objectsAt(slice, 'endpoints').length === 0 && objectsAt(slice, 'ports').length === 0,
  );
  const others = removed.filter((slice) => slice !== placeholder).map(deletion);
  if (placeholder !== undefined) return [...changed(service, placeholder, []), ...others];
  return [{ kind: 'create', slice: newSlice(service, { addressType, ports: [], endpoints: [] }) }, ...others];
}

const deletion = ({ metadata }: KubeObject): Write => ({ kind: 'delete', name: metadata.name });

/** Returns the families of the addresses of a Service; IPv4 alone unless it names them. */
function addressTypesOf(service: KubeObject): Group['addressType'][] {
  const families = textsAt(service, 'spec', 'ipFamilies').filter(
    (family) => family === 'IPv4' || family === 'IPv6',
  );
  return families.length > 0 ? families : ['IPv4'];
}

function groupsOf(observed: Observed, addressType: Group['addressType']): Map<string, Group> {
  const { service, pods } = observed;
  const isOfType = addressType === 'IPv4' ? isIPv4 : isIPv6;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const addresses = addressesOf(pod).filter(isOfType);
    if (addresses.length === 0 || !isEndpoint(pod, { terminating: true })) continue;
    const node = observed.nodeOf(textAt(pod, 'spec', 'nodeName'));
    /* A pod on a missing node will be removed. */
    if (node === undefined && !publishesNotReady(service)) continue;
    const ports = portsOf(service, pod);
    const key = groupKey(addressType, ports);
    const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(service, pod, node, addresses));
  }
  return groups;
}

function endpointOf(
  service: KubeObject,
  pod: KubeObject,
  node: KubeObject | undefined,
  addresses: string[],
): JsonObject {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const hostname = hostnameOf(service, pod);
  const nodeName = textAt(pod, 'spec', 'nodeName');
  const zone = node?.metadata.labels?.[zoneLabel];
  return {
    addresses,
    conditions: { ready: publishesNotReady(service) || (serving && !terminating), serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: referenceTo(pod),
    ...(nodeName !== '' && { nodeName }),
    ...(zone !== undefined && { zone }),
  };
}

function labelsOf(service: KubeObject): Record<string, string> {
  const { name, labels = {} } = service.metadata;
  const reserved = [serviceNameLabel, managedBy.label, headlessLabel];
  const own = Object.entries(labels).filter(([label]) => !reserved.includes(label));
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [managedBy.label]: managedBy.value,
    [serviceNameLabel]: name,
  };
}

function newSlice(service: KubeObject, { addressType, ports, endpoints }: Group): KubeObject {
  const { name, namespace = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [controllerReference(service)],
    },
    addressType,
    endpoints: endpoints.length === 0 ? null : endpoints,
    ports: ports.length === 0 ? null : ports,
  };
}

/** Returns the update of a slice, if there is something to update. */
function changed(service: KubeObject, slice: KubeObject, endpoints: JsonObject[]): Write[] {
  const labels = labelsOf(service);
  const isCurrent =
    jsonEqual(slice.metadata.labels, labels) && jsonEqual(objectsAt(slice, 'endpoints'), endpoints);
  if (isCurrent) return [];
  const desired: KubeObject = {
    ...slice,
    metadata: { ...slice.metadata, labels },
    endpoints: endpoints.length === 0 ? null : endpoints,
  };
  return [{ kind: 'update', slice: desired }];
}
