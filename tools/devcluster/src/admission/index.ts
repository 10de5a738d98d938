import type { AdmissionPlugin, Cluster } from '../api/cluster.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { escalationCheck } from './escalation.js';
import { limitRanger } from './limit-ranger/plugin.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { podSecurity } from './pod-security/plugin.js';
import { admissionPolicies } from './policies/plugin.js';
import { priorityAdmission } from './priority.js';
import { resourceQuotaAdmission } from './quota.js';
import { serviceAccountAdmission } from './service-account.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';
import type { WebhookClient } from './webhooks/client.js';
import { mutatingWebhooks, validatingWebhooks } from './webhooks/plugin.js';

/**
 * Returns the plugins in the order of kube-apiserver. The quota is last, because it charges only writes that all others
 * admit.
 */
export function admissionPlugins(
  { store, rbac }: Pick<Cluster, 'store' | 'rbac'>,
  webhooks: WebhookClient,
): AdmissionPlugin[] {
  return [
    namespaceLifecycle(store),
    limitRanger(store),
    serviceAccountAdmission,
    taintNodesByCondition,
    podSecurity(store),
    priorityAdmission(store),
    defaultTolerationSeconds,
    escalationCheck(rbac),
    mutatingWebhooks(webhooks),
    admissionPolicies,
    validatingWebhooks(webhooks),
    resourceQuotaAdmission(store),
  ];
}
