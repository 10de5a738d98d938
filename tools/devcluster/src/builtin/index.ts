import type { Resource } from '../registry/resource.js';
import { admissionPolicyKinds } from './validating-admission-policy/kinds.js';
import { BINDING } from './binding.js';
import { configMap } from './config-map.js';
import { CUSTOM_RESOURCE_DEFINITION } from './custom-resource-definition.js';
import { DEPLOYMENT } from './deployment/kind.js';
import { ENDPOINT_SLICE } from './endpoint-slice.js';
import { ENDPOINTS } from './endpoints/kind.js';
import { EVENT_KINDS } from './event/kinds.js';
import { JOB } from './job/kind.js';
import { limitRange } from './limit-range/kind.js';
import { AUTOSCALER_KINDS } from './horizontal-pod-autoscaler/kinds.js';
import { LEASE } from './lease.js';
import { namespace } from './namespace/kind.js';
import { NETWORK_POLICY } from './network-policy/kind.js';
import { NODE } from './node.js';
import { POD_DISRUPTION_BUDGET } from './pod-disruption-budget.js';
import { POD } from './pod/kind.js';
import { priorityClass } from './priority-class.js';
import { RBAC_KINDS } from './rbac.js';
import { resourceQuota } from './resource-quota/kind.js';
import { REPLICA_SET } from './replica-set.js';
import { REVIEW_KINDS } from './reviews.js';
import { secret } from './secret.js';
import { serviceAccount } from './service-account/kind.js';
import { SERVICE } from './service.js';
import { WEBHOOK_CONFIGURATION_KINDS } from './webhook-configuration/kinds.js';

/** Every kind that is served from the start, by name within a group. */
export const BUILTIN_KINDS: readonly Resource[] = [
  configMap,
  namespace,
  secret,
  serviceAccount,
  ...EVENT_KINDS,
  NODE,
  POD,
  SERVICE,
  DEPLOYMENT,
  REPLICA_SET,
  JOB,
  BINDING,
  ENDPOINTS,
  ENDPOINT_SLICE,
  ...AUTOSCALER_KINDS,
  NETWORK_POLICY,
  POD_DISRUPTION_BUDGET,
  ...REVIEW_KINDS,
  ...RBAC_KINDS,
  CUSTOM_RESOURCE_DEFINITION,
  ...WEBHOOK_CONFIGURATION_KINDS,
  ...admissionPolicyKinds,
  LEASE,
  limitRange,
  priorityClass,
  resourceQuota,
].sort((a, b) => (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0));
