import type { Group } from '../suite/case.js';
import { admissionPolicies } from './admission-policies.js';
import { admissionWebhooks } from './admission-webhooks.js';
import { autoscaling } from './autoscaling.js';
import { customResources } from './custom-resources/index.js';
import { deploymentGroup } from './deployments.js';
import { discovery } from './discovery.js';
import { disruptionBudgets } from './disruption-budgets.js';
import { endpoints } from './endpoints.js';
import { events } from './events.js';
import { fieldValidation } from './field-validation.js';
import { finalizers } from './finalizers.js';
import { jobGroup } from './jobs.js';
import { leases } from './leases.js';
import { limitRanges } from './limit-ranges.js';
import { lists } from './lists.js';
import { namespaces } from './namespaces.js';
import { networkPolicies } from './network-policies.js';
import { objects } from './objects.js';
import { optimisticLocking } from './optimistic-locking.js';
import { ownerReferences } from './owner-references.js';
import { patches } from './patches.js';
import { priorityClasses } from './priority-classes.js';
import { podSecurity } from './pod-security.js';
import { podBindings } from './pod-bindings.js';
import { rbac } from './rbac.js';
import { resourceQuotas } from './resource-quotas.js';
import { replicaSetGroup } from './replica-sets.js';
import { reviews } from './reviews.js';
import { serverSideApply } from './server-side-apply.js';
import { serviceAccounts } from './service-accounts.js';
import { subresources } from './subresources.js';
import { tables } from './tables.js';
import { tokens } from './tokens.js';
import { watches } from './watches.js';
import { workloads } from './workloads.js';

/** Every group, in the order in which they are reported. */
export const groups: readonly Group[] = [
  discovery,
  lists,
  watches,
  tables,
  objects,
  optimisticLocking,
  patches,
  serverSideApply,
  fieldValidation,
  subresources,
  finalizers,
  ownerReferences,
  namespaces,
  customResources,
  rbac,
  reviews,
  tokens,
  serviceAccounts,
  admissionWebhooks,
  admissionPolicies,
  podSecurity,
  events,
  leases,
  limitRanges,
  priorityClasses,
  resourceQuotas,
  disruptionBudgets,
  endpoints,
  networkPolicies,
  autoscaling,
  podBindings,
  replicaSetGroup,
  deploymentGroup,
  jobGroup,
  workloads,
];
