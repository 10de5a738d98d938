import type { Resource } from '../registry/resource.js';
import { admissionPolicyKinds } from './validating-admission-policy/kinds.js';
import { binding } from './binding.js';
import { configMap } from './config-map.js';
import { customResourceDefinition } from './custom-resource-definition.js';
import { deploymentKind } from './deployment/kind.js';
import { endpointSlice } from './endpoint-slice.js';
import { endpoints } from './endpoints/kind.js';
import { eventKinds } from './event/kinds.js';
import { jobKind } from './job/kind.js';
import { limitRange } from './limit-range/kind.js';
import { autoscalerKinds } from './horizontal-pod-autoscaler/kinds.js';
import { leaseKind } from './lease.js';
import { namespace } from './namespace/kind.js';
import { networkPolicy } from './network-policy/kind.js';
import { nodeKind } from './node.js';
import { podDisruptionBudget } from './pod-disruption-budget.js';
import { podKind } from './pod/kind.js';
import { priorityClass } from './priority-class.js';
import { rbacKinds } from './rbac.js';
import { resourceQuota } from './resource-quota/kind.js';
import { replicaSetKind } from './replica-set.js';
import { reviewKinds } from './reviews.js';
import { secret } from './secret.js';
import { serviceAccount } from './service-account/kind.js';
import { serviceKind } from './service.js';
import { webhookConfigurationKinds } from './webhook-configuration/kinds.js';

/** Every kind that is served from the start, by name within a group. */
export const builtinKinds: readonly Resource[] = [
  configMap,
  namespace,
  secret,
  serviceAccount,
  ...eventKinds,
  nodeKind,
  podKind,
  serviceKind,
  deploymentKind,
  replicaSetKind,
  jobKind,
  binding,
  endpoints,
  endpointSlice,
  ...autoscalerKinds,
  networkPolicy,
  podDisruptionBudget,
  ...reviewKinds,
  ...rbacKinds,
  customResourceDefinition,
  ...webhookConfigurationKinds,
  ...admissionPolicyKinds,
  leaseKind,
  limitRange,
  priorityClass,
  resourceQuota,
].sort((a, b) => (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0));
