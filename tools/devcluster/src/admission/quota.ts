import { listToJson, type ResourceList } from '@interlock/api/quantities';
import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../api/cluster.js';
import { tracked } from '../api/finish-object.js';
import { resourceQuota } from '../builtin/resource-quota/kind.js';
import { objectAt, type KubeObject } from '../object.js';
import { chargeQuotas } from '../quota/charge.js';
import { evaluatorOf } from '../quota/evaluators.js';
import { refusal } from './refusal.js';

const { collection } = resourceQuota;

/**
 * Charges writes to the quotas of their namespace and refuses writes that exceed a quota. It has to be the last plugin:
 * nothing outside of the process is awaited between the charge and the write of the object, so the quota controller
 * cannot miss an object that is charged but not stored yet. Source: apiserver pkg/admission/plugin/resourcequota.
 */
export function resourceQuotaAdmission(store: Cluster['store']): AdmissionPlugin {
  return {
    validate: (request, cluster) => {
      const { operation, resource, subresource, namespace, object, old } = request;
      if (operation === 'DELETE' || !resource.namespaced || object === undefined) return;
      const quotas = store.entries(collection, namespace).map((entry) => entry.object);
      if (quotas.length === 0 || subresource !== undefined) return;
      const evaluator = evaluatorOf(resource);
      if (evaluator?.operations.includes(operation) !== true) return;
      const result = chargeQuotas(quotas, evaluator, { object, old, now: cluster.now() });
      if ('refused' in result) throw refusal(request, result.refused);
      if (request.dryRun) return;
      for (const { quota, used } of result.charges) storeUsage(cluster, request, quota, used);
    },
  };
}

/** Writes the usage immediately, so that no other write is charged in between. */
function storeUsage(
  { store, now }: Cluster,
  { namespace }: AdmissionRequest,
  quota: KubeObject,
  used: ResourceList,
): void {
  const { name, resourceVersion } = quota.metadata;
  const charged = { ...quota, status: { ...objectAt(quota, 'status'), used: listToJson(used) } };
  const write = { manager: 'kube-apiserver', subresource: 'status', now: now() };
  const object = tracked(resourceQuota, quota, charged, write);
  store.put(collection, `${namespace}/${name}`, object, Number(resourceVersion));
}
