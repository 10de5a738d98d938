import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import type { KubeObject } from '../../object.js';
import { fromStorage, type Resource } from '../../registry/resource.js';
import { matchesLabels } from '../../selectors/labels.js';
import { keyOf } from '../../store/entry.js';
import type { Binding, ParamRef, Policy } from './policy.js';

/**
 * Returns the parameters with which a policy is evaluated for a binding, once for each parameter. Null means an
 * evaluation without parameters. The list is empty if the parameters do not exist and the binding then allows the
 * request. Source: apiserver policy/generic, CollectParams.
 */
export function collectParams(
  cluster: Cluster,
  resource: Resource | undefined,
  { paramRef }: Binding,
  request: AdmissionRequest,
): (KubeObject | null)[] | { error: string } {
  if (resource === undefined || paramRef === undefined) return [null];
  const namespace = namespaceOf(resource, paramRef, request);
  if (typeof namespace !== 'string') return namespace;
  const found = find(cluster, resource, namespace, paramRef);
  if (found.length > 0 || !paramRef.deniesWithout) return found;
  return { error: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
}

/** Returns the resource of the parameters of a policy; undefined when it has none. */
export function paramResource(
  { registry }: Cluster,
  { paramKind }: Policy,
): Resource | undefined | { error: string } {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  const name = `${apiVersion}, Kind=${kind}`;
  return (
    registry.byKind(apiVersion, kind) ?? {
      error: `failed to find resource referenced by paramKind: '${apiVersion.includes('/') ? name : `/${name}`}'`,
    }
  );
}

function namespaceOf(
  { namespaced }: Resource,
  { namespace }: ParamRef,
  request: AdmissionRequest,
): string | { error: string } {
  if (!namespaced) {
    if (namespace === '') return '';
    return { error: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  }
  const own = request.resource.collection === 'namespaces' ? request.name : request.namespace;
  const found = namespace === '' ? own : namespace;
  if (found !== '') return found;
  return { error: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
}

function find(
  { store }: Cluster,
  resource: Resource,
  namespace: string,
  { name, selector }: ParamRef,
): KubeObject[] {
  const { collection } = resource;
  const entry = name === '' ? undefined : store.get(collection, keyOf(namespace, name));
  const entries = name === '' ? store.entries(collection, namespace) : entry === undefined ? [] : [entry];
  return entries
    .map(({ object }) => fromStorage(resource, object))
    .filter(({ metadata }) => name !== '' || matchesLabels(selector ?? [], metadata.labels ?? {}));
}
