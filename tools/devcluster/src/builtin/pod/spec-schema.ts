import {
  anyObject,
  atomic,
  boolean,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  oneOf,
  quantity,
  string,
} from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { container, containers, resources, securityShared } from './container-schema.js';
import { labelSelector } from '../meta/label-selector.js';
import { localReference } from '../meta/references.js';
import { volumes } from './volume-schema.js';

export const restartPolicies = ['Always', 'OnFailure', 'Never'];
export const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

const nodeSelectorRequirement = object(
  { key: string(), operator: string(), values: list(string()) },
  { required: ['key', 'operator'] },
);
const nodeSelectorTerm = atomic(
  object({ matchExpressions: list(nodeSelectorRequirement), matchFields: list(nodeSelectorRequirement) }),
);

const podAffinityTerm = object(
  {
    labelSelector: labelSelector,
    namespaces: list(string()),
    topologyKey: string(),
    namespaceSelector: labelSelector,
    matchLabelKeys: list(string()),
    mismatchLabelKeys: list(string()),
  },
  { required: ['topologyKey'] },
);
const podAffinity = object({
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(
    object({ weight: int32(), podAffinityTerm }, { required: ['weight', 'podAffinityTerm'] }),
  ),
});

const affinity = object(
  {
    nodeAffinity: object({
      requiredDuringSchedulingIgnoredDuringExecution: atomic(
        object({ nodeSelectorTerms: list(nodeSelectorTerm) }, { required: ['nodeSelectorTerms'] }),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: list(
        object({ weight: int32(), preference: nodeSelectorTerm }, { required: ['weight', 'preference'] }),
      ),
    }),
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  'Where the pod would rather be.',
);

const toleration = object({
  key: string('Key of the taint.'),
  operator: string('Exists or Equal.'),
  value: string('Value of the taint.'),
  effect: string('NoSchedule, PreferNoSchedule or NoExecute.'),
  tolerationSeconds: int64('How long a NoExecute taint is borne.'),
});

const spreadConstraint = object(
  {
    maxSkew: int32(),
    topologyKey: string(),
    whenUnsatisfiable: string(),
    labelSelector: labelSelector,
    minDomains: int32(),
    nodeAffinityPolicy: string(),
    nodeTaintsPolicy: string(),
    matchLabelKeys: list(string()),
  },
  { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
);

const securityContext = object(
  {
    ...securityShared,
    supplementalGroups: list(int64()),
    supplementalGroupsPolicy: string(),
    fsGroup: int64('Group that owns the volumes.'),
    fsGroupChangePolicy: string(),
    sysctls: list(object({ name: string(), value: string() }, { required: ['name', 'value'] })),
    seLinuxChangePolicy: string(),
  },
  'Security settings of all containers.',
);

/** v1 PodSpec. */
export const podSpec: Schema = object(
  {
    volumes: volumes,
    initContainers: {
      ...containers,
      description: 'Containers that run to their end, one after the other, before the others.',
    },
    containers: containers,
    ephemeralContainers: listMap(
      { ...container, properties: { ...container.properties, targetContainerName: string() } },
      ['name'],
    ),
    restartPolicy: oneOf(restartPolicies, {
      description: 'When containers are started again.',
      default: 'Always',
    }),
    terminationGracePeriodSeconds: int64({
      description: 'Seconds to stop before it is killed.',
      default: 30,
    }),
    activeDeadlineSeconds: int64('Seconds after which the pod has failed.'),
    dnsPolicy: oneOf(dnsPolicies, {
      description: 'How names are resolved.',
      default: 'ClusterFirst',
    }),
    nodeSelector: { ...map(string(), 'Labels that the node must have.'), 'x-kubernetes-map-type': 'atomic' },
    serviceAccountName: string('ServiceAccount that the pod runs as.'),
    serviceAccount: string('Old name of serviceAccountName.'),
    automountServiceAccountToken: boolean('Whether the pod gets a token of its account.'),
    nodeName: string('Node that runs the pod; set by the scheduler.'),
    hostNetwork: boolean('Uses the network of the node.'),
    hostPID: boolean('Uses the process space of the node.'),
    hostIPC: boolean('Uses the IPC space of the node.'),
    hostUsers: boolean('Uses the user ids of the node.'),
    shareProcessNamespace: boolean('Containers see each other’s processes.'),
    securityContext,
    imagePullSecrets: listMap(localReference, ['name'], 'Secrets for pulling images.'),
    hostname: string('Host name of the pod.'),
    hostnameOverride: string('Host name, whatever else is set.'),
    subdomain: string('Domain below the cluster’s.'),
    affinity,
    schedulerName: string({ description: 'Who picks the node.', default: 'default-scheduler' }),
    tolerations: list(toleration, 'Taints that the pod bears.'),
    hostAliases: listMap(object({ ip: string(), hostnames: list(string()) }, { required: ['ip'] }), ['ip']),
    priorityClassName: string('Name of a PriorityClass.'),
    priority: int32('Higher goes first; set by the PriorityClass.'),
    preemptionPolicy: string('Whether lower pods make room.'),
    dnsConfig: object({
      nameservers: list(string()),
      searches: list(string()),
      options: list(object({ name: string(), value: string() })),
    }),
    readinessGates: list(object({ conditionType: string() }, { required: ['conditionType'] })),
    runtimeClassName: string('Name of a RuntimeClass.'),
    enableServiceLinks: boolean('Whether Services are put into the environment.'),
    overhead: map(quantity()),
    topologySpreadConstraints: listMap(spreadConstraint, ['topologyKey', 'whenUnsatisfiable']),
    setHostnameAsFQDN: boolean(),
    os: object({ name: string() }, { required: ['name'] }),
    schedulingGates: listMap(object({ name: string() }, { required: ['name'] }), ['name']),
    resourceClaims: listMap(
      object(
        { name: string(), resourceClaimName: string(), resourceClaimTemplateName: string() },
        { required: ['name'] },
      ),
      ['name'],
    ),
    resources: { ...resources, default: undefined },
  },
  { required: ['containers'] },
);

const templateMetadata = object(
  {
    name: string(),
    generateName: string(),
    namespace: string(),
    labels: map(string(), 'Labels of the pods.'),
    annotations: map(string(), 'Annotations of the pods.'),
    finalizers: list(string()),
    ownerReferences: list(anyObject()),
    creationTimestamp: string(),
  },
  { description: 'Metadata of the pods.', default: {} },
);

/** v1 PodTemplateSpec. */
export const podTemplate: Schema = object(
  { metadata: templateMetadata, spec: { ...podSpec, description: 'What the pods run.', default: {} } },
  { description: 'What pods are made from.', default: {} },
);
