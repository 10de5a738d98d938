import { aggregateRules, rbacObject } from '../../auth/index.js';
import type { Cluster } from '../../api/cluster.js';
import type { KubeObject } from '../../object.js';
import type { Entry } from '../../store/entry.js';

const collections = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
  (plural) => `${plural}.rbac.authorization.k8s.io`,
);
const clusterRoles = 'clusterroles.rbac.authorization.k8s.io';

/**
 * Updates the authorizer and the aggregated ClusterRoles from the stored objects. Returns a function that stops the
 * controller.
 */
export function watchRbac(cluster: Cluster): () => void {
  const { store, rbac } = cluster;
  for (const collection of collections) {
    for (const entry of store.entries(collection)) put(cluster, entry);
  }
  aggregate(cluster);
  return store.subscribe(({ type, entry }) => {
    if (!collections.includes(entry.collection)) return;
    const object = rbacObject(entry.object);
    if (type === 'DELETED' && object !== undefined) rbac.remove(object);
    else put(cluster, entry);
    if (entry.collection === clusterRoles) aggregate(cluster);
  });
}

function put({ rbac }: Cluster, { object }: Entry): void {
  const typed = rbacObject(object);
  if (typed !== undefined) rbac.put(typed);
}

/**
 * Updates the rules of aggregated ClusterRoles. Every write triggers an event, which causes no further write once all
 * rules are up to date.
 */
function aggregate({ store }: Cluster): void {
  const roles = store.entries(clusterRoles).flatMap(({ object }) => {
    const typed = rbacObject(object);
    return typed?.kind === 'ClusterRole' ? [typed] : [];
  });
  for (const { metadata, rules } of aggregateRules(roles)) {
    const entry = store.get(clusterRoles, metadata.name);
    if (entry === undefined) continue;
    const object: KubeObject = { ...entry.object, rules: (rules ?? []).map((rule) => ({ ...rule })) };
    store.put(clusterRoles, entry.key, object, entry.revision);
  }
}
