import type { Kind, KubeObject } from '@interlock/api';
import type * as admissionregistration from 'kubernetes-types/admissionregistration/v1.js';
import type * as apiextensions from 'kubernetes-types/apiextensions/v1.js';
import type * as apps from 'kubernetes-types/apps/v1.js';
import type * as autoscaling from 'kubernetes-types/autoscaling/v2.js';
import type * as batch from 'kubernetes-types/batch/v1.js';
import type * as coordination from 'kubernetes-types/coordination/v1.js';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as discovery from 'kubernetes-types/discovery/v1.js';
import type * as events from 'kubernetes-types/events/v1.js';
import type * as networking from 'kubernetes-types/networking/v1.js';
import type * as policy from 'kubernetes-types/policy/v1.js';
import type * as rbac from 'kubernetes-types/rbac/v1.js';
import type * as scheduling from 'kubernetes-types/scheduling/v1.js';

/** A built-in type as the API server returns it, with the fields of every object that the type declares as optional. */
type Stored<T> = Omit<T, keyof KubeObject> & KubeObject;

function define<T extends KubeObject>(
  groupVersion: string,
  kind: string,
  plural: string,
  scope: Scope,
): Kind<T> {
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  return { group: group ?? '', version: version ?? '', kind, plural, namespaced: scope === 'Namespaced' };
}

type Scope = 'Namespaced' | 'Cluster';

export type ConfigMap = Stored<core.ConfigMap>;
export const ConfigMap = define<ConfigMap>('v1', 'ConfigMap', 'configmaps', 'Namespaced');

export type Namespace = Stored<core.Namespace>;
export const Namespace = define<Namespace>('v1', 'Namespace', 'namespaces', 'Cluster');

type Node = Stored<core.Node>;
const Node = define<Node>('v1', 'Node', 'nodes', 'Cluster');

export type Pod = Stored<core.Pod>;
export const Pod = define<Pod>('v1', 'Pod', 'pods', 'Namespaced');

export type ResourceQuota = Stored<core.ResourceQuota>;
export const ResourceQuota = define<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas', 'Namespaced');

type LimitRange = Stored<core.LimitRange>;
const LimitRange = define<LimitRange>('v1', 'LimitRange', 'limitranges', 'Namespaced');

export type Secret = Stored<core.Secret>;
export const Secret = define<Secret>('v1', 'Secret', 'secrets', 'Namespaced');

export type Service = Stored<core.Service>;
export const Service = define<Service>('v1', 'Service', 'services', 'Namespaced');

export type ServiceAccount = Stored<core.ServiceAccount>;
export const ServiceAccount = define<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts', 'Namespaced');

export type EndpointSlice = Stored<discovery.EndpointSlice>;
export const EndpointSlice = define<EndpointSlice>(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  'endpointslices',
  'Namespaced',
);

export type Deployment = Stored<apps.Deployment>;
export const Deployment = define<Deployment>('apps/v1', 'Deployment', 'deployments', 'Namespaced');

type ReplicaSet = Stored<apps.ReplicaSet>;
const ReplicaSet = define<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets', 'Namespaced');

type Job = Stored<batch.Job>;
const Job = define<Job>('batch/v1', 'Job', 'jobs', 'Namespaced');

export type PodDisruptionBudget = Stored<policy.PodDisruptionBudget>;
export const PodDisruptionBudget = define<PodDisruptionBudget>(
  'policy/v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
  'Namespaced',
);

export type HorizontalPodAutoscaler = Stored<autoscaling.HorizontalPodAutoscaler>;
export const HorizontalPodAutoscaler = define<HorizontalPodAutoscaler>(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
  'Namespaced',
);

export type NetworkPolicy = Stored<networking.NetworkPolicy>;
export const NetworkPolicy = define<NetworkPolicy>(
  'networking.k8s.io/v1',
  'NetworkPolicy',
  'networkpolicies',
  'Namespaced',
);

export type Role = Stored<rbac.Role>;
export const Role = define<Role>('rbac.authorization.k8s.io/v1', 'Role', 'roles', 'Namespaced');

export type RoleBinding = Stored<rbac.RoleBinding>;
export const RoleBinding = define<RoleBinding>(
  'rbac.authorization.k8s.io/v1',
  'RoleBinding',
  'rolebindings',
  'Namespaced',
);

export type ClusterRole = Stored<rbac.ClusterRole>;
export const ClusterRole = define<ClusterRole>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  'clusterroles',
  'Cluster',
);

export type ClusterRoleBinding = Stored<rbac.ClusterRoleBinding>;
export const ClusterRoleBinding = define<ClusterRoleBinding>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
);

export type Lease = Stored<coordination.Lease>;
export const Lease = define<Lease>('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced');

/** Event of `events.k8s.io/v1`. */
export type Event = Stored<events.Event>;
export const Event = define<Event>('events.k8s.io/v1', 'Event', 'events', 'Namespaced');

type PriorityClass = Stored<scheduling.PriorityClass>;
const PriorityClass = define<PriorityClass>(
  'scheduling.k8s.io/v1',
  'PriorityClass',
  'priorityclasses',
  'Cluster',
);

export type CustomResourceDefinition = Stored<apiextensions.CustomResourceDefinition>;
export const CustomResourceDefinition = define<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);

export type ValidatingWebhookConfiguration = Stored<admissionregistration.ValidatingWebhookConfiguration>;
export const ValidatingWebhookConfiguration = define<ValidatingWebhookConfiguration>(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
);

export type MutatingWebhookConfiguration = Stored<admissionregistration.MutatingWebhookConfiguration>;
export const MutatingWebhookConfiguration = define<MutatingWebhookConfiguration>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'Cluster',
);

export type ValidatingAdmissionPolicy = Stored<admissionregistration.ValidatingAdmissionPolicy>;
export const ValidatingAdmissionPolicy = define<ValidatingAdmissionPolicy>(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
  'Cluster',
);

export type ValidatingAdmissionPolicyBinding = Stored<admissionregistration.ValidatingAdmissionPolicyBinding>;
export const ValidatingAdmissionPolicyBinding = define<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  'Cluster',
);
