import { objectsAt, textAt, textsAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';

/** Maximum number of endpoints of a slice. */
const sliceSize = 100;

/** The endpoints of a Service that share the kind of their addresses and their ports. */
export interface Group {
  addressType: 'IPv4' | 'IPv6';
  ports: JsonObject[];
  endpoints: JsonObject[];
}

/** The changes of the slices of a group. */
interface Packed {
  /** Existing slices with their new content. */
  kept: { slice: KubeObject; endpoints: JsonObject[] }[];
  removed: KubeObject[];
  /** The content of new slices. */
  added: JsonObject[][];
}

/** Returns the key by which endpoints are grouped: the kind of their addresses and their ports. */
export function groupKey(addressType: string, ports: readonly JsonObject[]): string {
  return JSON.stringify([
    addressType,
    ...ports.map((port) => JSON.stringify(Object.entries(port).sort())).sort(),
  ]);
}

/**
 * Distributes the endpoints of a group: each stays in its slice, new ones go into slices that change anyway, then into
 * the fullest slice that takes them all, then into new slices. Source: k8s.io/endpointslice, reconciler.go.
 */
export function pack(group: Group, slices: readonly KubeObject[]): Packed {
  const open = new Map(group.endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const kept: Packed['kept'] = [];
  const removed: KubeObject[] = [];
  for (const slice of slices) {
    const endpoints = objectsAt(slice, 'endpoints').flatMap((one) => {
      const identity = identityOf(one);
      const desired = open.get(identity);
      open.delete(identity);
      return desired === undefined ? [] : [desired];
    });
    if (endpoints.length === 0) removed.push(slice);
    else kept.push({ slice, endpoints });
  }
  const rest = [...open.values()];
  const changing = kept.filter(
    ({ slice, endpoints }) => !jsonEqual(endpoints, objectsAt(slice, 'endpoints')),
  );
  const byFullness = changing.sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const { endpoints } of byFullness) endpoints.push(...rest.splice(0, sliceSize - endpoints.length));
  const added: JsonObject[][] = [];
  while (rest.length > 0) {
    const chunk = rest.splice(0, sliceSize);
    const fitting = kept
      .filter(({ endpoints }) => endpoints.length + chunk.length <= sliceSize)
      .sort((a, b) => b.endpoints.length - a.endpoints.length);
    if (fitting[0] === undefined) added.push(chunk);
    else fitting[0].endpoints.push(...chunk);
  }
  return { kept, removed, added };
}

function identityOf(endpoint: JsonObject): string {
  const pod = textAt(endpoint, 'targetRef', 'uid');
  return [pod, textAt(endpoint, 'nodeName'), ...textsAt(endpoint, 'addresses')].join(' ');
}
