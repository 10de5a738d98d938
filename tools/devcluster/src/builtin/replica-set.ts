import { objectAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { int32, int64, listMap, object } from '../schema/dsl.js';
import { condition } from './meta/condition.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';
import { defaultPodSpec } from './pod/defaults.js';
import { podTemplate } from './pod/spec-schema.js';
import { labelSelector } from './meta/label-selector.js';
import {
  nonNegative,
  numberOf,
  replicaScale,
  templateColumns,
  validateReplicaStatus,
  validateReplicated,
  validateSelectorUpdate,
} from './workload.js';

const schema = object(
  {
    spec: object(
      {
        replicas: int32({ description: 'Desired number of pods.', default: 1 }),
        minReadySeconds: int32('Seconds a pod must be ready to count as available.'),
        selector: { ...labelSelector, description: 'Which pods belong to it; cannot be changed.' },
        template: podTemplate,
      },
      { description: 'The desired state.', required: ['selector'], default: {} },
    ),
    status: object(
      {
        replicas: int32('Pods in all.'),
        fullyLabeledReplicas: int32('Pods with all labels of the template.'),
        readyReplicas: int32('Pods that are ready.'),
        availableReplicas: int32('Pods that are available.'),
        terminatingReplicas: int32('Pods that are being deleted.'),
        observedGeneration: int64('Generation that the status is about.'),
        conditions: listMap(condition(), ['type'], 'State in detail.'),
      },
      { description: 'The observed state.', required: ['replicas'], default: {} },
    ),
  },
  'Keeps a number of equal pods running.',
);

function applyDefaults(o: KubeObject): void {
  defaultPodSpec(objectAt(o, 'spec', 'template', 'spec'));
}

/** apps/v1 ReplicaSet. */
export const replicaSetKind: Resource = defineKind({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  schema,
  scale: replicaScale,
  fields: { 'status.replicas': (o) => String(numberOf(o, 'status', 'replicas')) },
  columns: [
    nameColumn,
    column('Desired', 'Desired number of pods.', (o) => numberOf(o, 'spec', 'replicas'), 'integer'),
    column('Current', 'Pods in all.', (o) => numberOf(o, 'status', 'replicas'), 'integer'),
    column('Ready', 'Pods that are ready.', (o) => numberOf(o, 'status', 'readyReplicas'), 'integer'),
    ageColumn,
    ...templateColumns,
  ],
  strategy: {
    generation: true,
    status: true,
    desired: (o) => o['spec'] ?? {},
    defaults: applyDefaults,
    prepareCreate: (o) => {
      o['status'] = { replicas: 0 };
    },
    validate: (o) => [
      ...nonNegative(objectAt(o, 'spec'), 'spec', ['replicas', 'minReadySeconds']),
      ...validateReplicated(o),
      ...validateReplicaStatus(
        o,
        ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
        ['observedGeneration'],
      ),
    ],
    validateUpdate: validateSelectorUpdate,
  },
});
