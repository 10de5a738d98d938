import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from '../auth/index.js';
import { ApiError } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { createObject } from '../api/create.js';
import { decodeObject } from '../api/decode.js';
import { systemPriorityClasses } from '../builtin/priority-class.js';
import type { JsonObject } from '../schema/types.js';
import { controller } from './identity.js';

const rbac = 'rbac.authorization.k8s.io';
const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates the missing initial objects of a cluster: namespaces, priority classes, roles and bindings. */
export async function bootstrap(cluster: Cluster): Promise<void> {
  for (const name of namespaces) await ensure(cluster, '', 'namespaces', { metadata: { name } });
  for (const one of systemPriorityClasses) {
    await ensure(cluster, 'scheduling.k8s.io', 'priorityclasses', structuredClone(one));
  }
  const roles = bootstrapClusterRoles.map((role) => JSON.parse(JSON.stringify(role)) as JsonObject);
  for (const role of roles) await ensure(cluster, rbac, 'clusterroles', role);
  const bindings = bootstrapClusterRoleBindings.map((one) => JSON.parse(JSON.stringify(one)) as JsonObject);
  for (const binding of bindings) await ensure(cluster, rbac, 'clusterrolebindings', binding);
}

async function ensure(cluster: Cluster, group: string, plural: string, body: JsonObject): Promise<void> {
  const resource = cluster.registry.get(group, 'v1', plural);
  if (resource === undefined) return;
  const { object } = decodeObject(body, resource, 'Ignore');
  /* These objects skip admission, because webhooks may start later. */
  if (cluster.store.get(resource.collection, object.metadata.name) !== undefined) return;
  try {
    await createObject(cluster, resource, '', object, { ...controller, manager: 'kube-apiserver' });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
