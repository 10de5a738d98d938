import { forbidden, notFound } from '../api/api-error.js';
import type { AdmissionPlugin, Cluster } from '../api/cluster.js';

const protectedNames = ['default', 'kube-system', 'kube-public'];

/**
 * Refuses objects in namespaces that do not exist or are being deleted, and the deletion of the initial namespaces
 * (apiserver namespace/lifecycle).
 */
export function namespaceLifecycle(store: Cluster['store']): AdmissionPlugin {
  return {
    mutate: ({ operation, resource, namespace, name }) => {
      if (operation !== 'CREATE' || !resource.namespaced) return;
      const found = store.get('namespaces', namespace)?.object;
      if (found === undefined) throw notFound({ group: '', kind: 'namespaces', name: namespace });
      if (found.metadata.deletionTimestamp === undefined) return;
      const message = `namespace ${namespace} is being terminated`;
      throw forbidden(
        { group: resource.group, kind: resource.plural, name },
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
      );
    },
    validate: ({ operation, resource, name }) => {
      if (operation === 'DELETE' && resource.collection === 'namespaces' && protectedNames.includes(name)) {
        throw forbidden({ group: '', kind: 'namespaces', name }, 'this namespace may not be deleted');
      }
    },
  };
}
