import type { AdmissionRequest } from '../api/cluster.js';
import type { KubeObject } from '../object.js';

/** Returns the pod that a request creates; undefined for any other request. */
export function newPod(request: AdmissionRequest): KubeObject | undefined {
  const { operation, resource, subresource, object } = request;
  const isPod = operation === 'CREATE' && resource.collection === 'pods' && subresource === undefined;
  return isPod ? object : undefined;
}
