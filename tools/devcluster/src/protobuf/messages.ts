import {
  labelSelector,
  bootstrapLabels,
  localReference,
  many,
  metadata,
  one,
  strings,
  type Message,
} from './message.js';
import { deploymentSpec, jobSpec, podSpec } from './workload-messages.js';

const objectReference: Message = {
  1: ['kind', 'string'],
  2: ['namespace', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['fieldPath', 'string'],
};

const serviceSpec: Message = {
  1: [
    'ports',
    many({
      1: ['name', 'string'],
      2: ['protocol', 'string'],
      3: ['port', 'int'],
      4: ['targetPort', 'intOrString'],
      5: ['nodePort', 'int'],
      6: ['appProtocol', 'string'],
    }),
  ],
  2: ['selector', bootstrapLabels],
  3: ['clusterIP', 'string'],
  4: ['type', 'string'],
  5: ['externalIPs', strings],
  7: ['sessionAffinity', 'string'],
  8: ['loadBalancerIP', 'string'],
  9: ['loadBalancerSourceRanges', strings],
  10: ['externalName', 'string'],
  11: ['externalTrafficPolicy', 'string'],
  12: ['healthCheckNodePort', 'int'],
  13: ['publishNotReadyAddresses', 'bool'],
  17: ['ipFamilyPolicy', 'string'],
  18: ['clusterIPs', strings],
  19: ['ipFamilies', strings],
  20: ['allocateLoadBalancerNodePorts', 'bool?'],
  21: ['loadBalancerClass', 'string'],
  22: ['internalTrafficPolicy', 'string'],
  23: ['trafficDistribution', 'string'],
};

const policyRule: Message = {
  1: ['verbs', strings],
  2: ['apiGroups', strings],
  3: ['resources', strings],
  4: ['resourceNames', strings],
  5: ['nonResourceURLs', strings],
};
const subject: Message = {
  1: ['kind', 'string'],
  2: ['apiGroup', 'string'],
  3: ['name', 'string'],
  4: ['namespace', 'string'],
};
const binding: Message = {
  1: metadata,
  2: ['subjects', many(subject)],
  3: ['roleRef', one({ 1: ['apiGroup', 'string'], 2: ['kind', 'string'], 3: ['name', 'string'] })],
};
const rules: Message[number] = ['rules', many(policyRule)];

const resourceAttributes: Message = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
};
const attributes: Message = {
  1: ['resourceAttributes', one(resourceAttributes)],
  2: ['nonResourceAttributes', one({ 1: ['path', 'string'], 2: ['verb', 'string'] })],
};
const subjectSpec: Message = {
  ...attributes,
  3: ['user', 'string'],
  4: ['groups', strings],
  6: ['uid', 'string'],
};

const spec = (message: Message): Message => ({
  1: metadata,
  2: ['spec', one(message)],
  3: ['status', 'ignored'],
});

const leaseSpec: Message = {
  1: ['holderIdentity', 'string'],
  2: ['leaseDurationSeconds', 'int?'],
  3: ['acquireTime', 'microTime'],
  4: ['renewTime', 'microTime'],
  5: ['leaseTransitions', 'int?'],
  6: ['strategy', 'string'],
  7: ['preferredHolder', 'string'],
};

const tokenRequestSpec: Message = {
  1: ['audiences', strings],
  3: [
    'boundObjectRef',
    one({ 1: ['kind', 'string'], 2: ['apiVersion', 'string'], 3: ['name', 'string'], 4: ['uid', 'string'] }),
  ],
  4: ['expirationSeconds', 'int?'],
};

const scopeTerm: Message = { 1: ['scopeName', 'string'], 2: ['operator', 'string'], 3: ['values', strings] };
const resourceQuotaSpec: Message = {
  1: ['hard', { map: 'quantity' }],
  2: ['scopes', strings],
  3: ['scopeSelector', one({ 1: ['matchExpressions', many(scopeTerm)] })],
};

const deleteOptions: Message = {
  1: ['gracePeriodSeconds', 'int?'],
  2: ['preconditions', one({ 1: ['uid', 'string'], 2: ['resourceVersion', 'string'] })],
  3: ['orphanDependents', 'bool?'],
  4: ['propagationPolicy', 'string'],
  5: ['dryRun', strings],
};

const budgetSpec: Message = {
  1: ['minAvailable', 'intOrString'],
  2: ['selector', one(labelSelector)],
  3: ['maxUnavailable', 'intOrString'],
  4: ['unhealthyPodEvictionPolicy', 'string'],
};

/** Objects that typed Go clients send as protobuf, by `apiVersion/kind`. */
export const protobufMessages: Readonly<Record<string, Message>> = {
  'v1/ConfigMap': {
    1: metadata,
    2: ['data', bootstrapLabels],
    3: ['binaryData', { map: 'bytes' }],
    4: ['immutable', 'bool?'],
  },
  'v1/Namespace': spec({ 1: ['finalizers', strings] }),
  'v1/Secret': {
    1: metadata,
    2: ['data', { map: 'bytes' }],
    3: ['type', 'string'],
    4: ['stringData', bootstrapLabels],
    5: ['immutable', 'bool?'],
  },
  'v1/Service': spec(serviceSpec),
  'v1/ServiceAccount': {
    1: metadata,
    2: ['secrets', many(objectReference)],
    3: ['imagePullSecrets', many(localReference)],
    4: ['automountServiceAccountToken', 'bool?'],
  },
  'v1/Pod': spec(podSpec),
  'v1/ResourceQuota': spec(resourceQuotaSpec),
  'v1/DeleteOptions': deleteOptions,
  'apps/v1/Deployment': spec(deploymentSpec),
  'batch/v1/Job': spec(jobSpec),
  'policy/v1/Eviction': { 1: metadata, 2: ['deleteOptions', one(deleteOptions)] },
  'policy/v1/PodDisruptionBudget': spec(budgetSpec),
  'scheduling.k8s.io/v1/PriorityClass': {
    1: metadata,
    2: ['value', 'int'],
    3: ['globalDefault', 'bool'],
    4: ['description', 'string'],
    5: ['preemptionPolicy', 'string'],
  },
  'coordination.k8s.io/v1/Lease': spec(leaseSpec),
  'rbac.authorization.k8s.io/v1/ClusterRole': {
    1: metadata,
    2: rules,
    3: ['aggregationRule', one({ 1: ['clusterRoleSelectors', many(labelSelector)] })],
  },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': binding,
  'rbac.authorization.k8s.io/v1/Role': { 1: metadata, 2: rules },
  'rbac.authorization.k8s.io/v1/RoleBinding': binding,
  'authentication.k8s.io/v1/SelfSubjectReview': { 1: metadata, 2: ['status', 'ignored'] },
  'authentication.k8s.io/v1/TokenRequest': spec(tokenRequestSpec),
  'authentication.k8s.io/v1/TokenReview': spec({ 1: ['token', 'string'], 2: ['audiences', strings] }),
  'authorization.k8s.io/v1/LocalSubjectAccessReview': spec(subjectSpec),
  'authorization.k8s.io/v1/SelfSubjectAccessReview': spec(attributes),
  'authorization.k8s.io/v1/SelfSubjectRulesReview': spec({ 1: ['namespace', 'string'] }),
  'authorization.k8s.io/v1/SubjectAccessReview': spec(subjectSpec),
};
