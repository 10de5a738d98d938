import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { isFinished, isReady } from '../pod-state.js';

/** Labels of endpoints that the controllers set by themselves. */
export const headlessLabel = 'service.kubernetes.io/headless';

/** Returns whether the controllers manage the endpoints of a Service. */
export function followsPods(service: KubeObject): boolean {
  const selector = objectAt(service, 'spec', 'selector');
  return Object.keys(selector).length > 0 && textAt(service, 'spec', 'type') !== 'ExternalName';
}

/** Returns whether the selector of a Service matches a pod. */
export function selects(service: KubeObject, { metadata }: KubeObject): boolean {
  return (
    followsPods(service) &&
    Object.entries(objectAt(service, 'spec', 'selector')).every(
      ([key, value]) => metadata.labels?.[key] === value,
    )
  );
}

/** Returns whether the Service has no cluster IP. */
export function isHeadless(service: KubeObject): boolean {
  return textAt(service, 'spec', 'clusterIP') === 'None';
}

/** Returns whether the Service lists pods that are not ready as if they were. */
export function publishesNotReady(service: KubeObject): boolean {
  return valueAt(service, 'spec', 'publishNotReadyAddresses') === true;
}

/**
 * Returns whether a pod belongs to endpoints at all: it has an address, has not ended, and is not being deleted unless
 * `terminating` is set.
 */
export function isEndpoint(pod: KubeObject, { terminating }: { terminating: boolean }): boolean {
  if (isFinished(pod) || addressesOf(pod).length === 0) return false;
  return terminating || pod.metadata.deletionTimestamp === undefined;
}

/**
 * Returns whether the endpoints of Services can differ after the change of a pod; undefined means a pod that does
 * not exist. Source: k8s.io/endpointslice/util, podEndpointsChanged.
 */
export function concernsEndpoints(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return !jsonEqual(before && endpointFacts(before), after && endpointFacts(after));
}

/**
 * Returns the fields of a pod that endpoints contain or Services select, or undefined for a pod that is not an
 * endpoint.
 */
function endpointFacts(pod: KubeObject): Json | undefined {
  if (!isEndpoint(pod, { terminating: true })) return undefined;
  const { labels = {}, deletionTimestamp } = pod.metadata;
  const fields = ['nodeName', 'hostname', 'subdomain'].map((field) => textAt(pod, 'spec', field));
  return [addressesOf(pod), isReady(pod), deletionTimestamp !== undefined, labels, fields];
}

/** Returns the addresses of a pod, the main one first. */
export function addressesOf(pod: KubeObject): string[] {
  const all = [
    textAt(pod, 'status', 'podIP'),
    ...objectsAt(pod, 'status', 'podIPs').map((one) => textAt(one, 'ip')),
  ];
  return [...new Set(all.filter((ip) => ip !== ''))];
}

/** Returns the ports of a pod that the ports of a Service route to; a named port that the pod lacks is omitted. */
export function portsOf(service: KubeObject, pod: KubeObject): JsonObject[] {
  return objectsAt(service, 'spec', 'ports').flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const appProtocol = textAt(port, 'appProtocol');
    return [
      {
        name: textAt(port, 'name'),
        port: number,
        protocol: textAt(port, 'protocol') || 'TCP',
        ...(appProtocol !== '' && { appProtocol }),
      },
    ];
  });
}

function targetPort(port: JsonObject, pod: KubeObject): number | undefined {
  const { targetPort: target = port['port'] } = port;
  if (typeof target === 'number') return target;
  const sidecars = objectsAt(pod, 'spec', 'initContainers').filter(
    (container) => container['restartPolicy'] === 'Always',
  );
  const found = [...objectsAt(pod, 'spec', 'containers'), ...sidecars]
    .flatMap((container) => objectsAt(container, 'ports'))
    .find((one) => one['name'] === target && (one['protocol'] ?? 'TCP') === (port['protocol'] ?? 'TCP'));
  const number = found?.['containerPort'];
  return typeof number === 'number' ? number : undefined;
}

/** Returns the reference from an endpoint to its pod. */
export function referenceTo({ metadata }: KubeObject): JsonObject {
  return {
    kind: 'Pod',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
  };
}

/** Returns the host name of a pod within a Service, if it has one. */
export function hostnameOf(service: KubeObject, pod: KubeObject): string | undefined {
  const hostname = textAt(pod, 'spec', 'hostname');
  return hostname !== '' && textAt(pod, 'spec', 'subdomain') === service.metadata.name ? hostname : undefined;
}
