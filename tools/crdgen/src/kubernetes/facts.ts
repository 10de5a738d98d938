import type { StructuralSchema } from '../structural.js';

/**
 * Facts about the fields of pods that the OpenAPI document of Kubernetes contains, but the types of its client do not.
 * Source: the markers in k8s.io/api/core/v1 and k8s.io/apimachinery/pkg/apis/meta/v1.
 */

/** Lists whose entries are identified by keys, by type and field. All other lists are atomic. */
export const listKeys: Readonly<Record<string, readonly string[]>> = {
  'V1PodSpec.volumes': ['name'],
  'V1PodSpec.initContainers': ['name'],
  'V1PodSpec.containers': ['name'],
  'V1PodSpec.imagePullSecrets': ['name'],
  'V1PodSpec.hostAliases': ['ip'],
  'V1PodSpec.topologySpreadConstraints': ['topologyKey', 'whenUnsatisfiable'],
  'V1PodSpec.schedulingGates': ['name'],
  'V1PodSpec.resourceClaims': ['name'],
  'V1Container.ports': ['containerPort', 'protocol'],
  'V1Container.env': ['name'],
  'V1Container.volumeMounts': ['mountPath'],
  'V1Container.volumeDevices': ['devicePath'],
  'V1ResourceRequirements.claims': ['name'],
};

export const setLists: ReadonlySet<string> = new Set(['V1ContainerRestartRuleOnExitCodes.values']);

/** Types and maps that server-side apply treats as a whole. */
export const atomicMaps: ReadonlySet<string> = new Set([
  'V1ConfigMapKeySelector',
  'V1FileKeySelector',
  'V1LabelSelector',
  'V1LocalObjectReference',
  'V1NodeSelector',
  'V1NodeSelectorTerm',
  'V1ObjectFieldSelector',
  'V1ResourceFieldSelector',
  'V1SecretKeySelector',
  'V1TypedLocalObjectReference',
  'V1PodSpec.nodeSelector',
]);

/** Quantities, and maps of them, which the types declare as strings. */
export const quantities: ReadonlySet<string> = new Set([
  'V1EmptyDirVolumeSource.sizeLimit',
  'V1PodSpec.overhead',
  'V1ResourceFieldSelector.divisor',
  'V1ResourceRequirements.limits',
  'V1ResourceRequirements.requests',
  'V1VolumeResourceRequirements.limits',
  'V1VolumeResourceRequirements.requests',
]);

/**
 * Defaults without which the key of a list would be missing. The API server fills in all other defaults only in
 * the pod, so that the template stays as it was written.
 */
export const keyDefaults: Readonly<Record<string, string>> = {
  'V1ContainerPort.protocol': 'TCP',
  'V1LocalObjectReference.name': '',
};

/** Fields that a template must not have, because the API server refuses such a pod. */
export const omitted: ReadonlySet<string> = new Set(['V1PodSpec.ephemeralContainers']);

const text: StructuralSchema = { type: 'string' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };

/**
 * The metadata that a template can give to its object. Owners and finalizers are omitted, so that the API server drops
 * them: they would conflict with the controller that manages the object.
 */
export const templateMetadata: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: texts,
    // Templates that kubectl prints have a null here.
    creationTimestamp: { type: 'string', format: 'date-time', nullable: true },
    generateName: text,
    labels: texts,
    name: text,
    namespace: text,
  },
};
