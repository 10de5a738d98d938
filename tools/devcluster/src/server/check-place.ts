import { badRequest } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';

/**
 * Checks that an object has the name and the namespace of the path. Sets a missing namespace, and removes the namespace
 * of a cluster-scoped object. Throws a 400. Source: apiserver endpoints/handlers/rest.go, registry/rest/meta.go.
 */
export function checkPlace(
  { metadata }: KubeObject,
  { name, namespace }: { name: string; namespace: string },
  resource: Resource,
): void {
  if (!resource.namespaced) Reflect.deleteProperty(metadata, 'namespace');
  else if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
  else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata.name === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
}
