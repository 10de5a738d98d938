import { objectAt, valueAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { int32, int64, listMap, object } from '../schema/dsl.js';
import { invalid } from '../schema/field-error.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';
import { condition } from './core.js';
import { AGE, column, defineKind, NAME } from './define.js';
import { defaultPodSpec } from './pod-defaults.js';
import { POD_TEMPLATE } from './pod-spec-schema.js';
import { LABEL_SELECTOR } from './rbac.js';
import { nonNegative, numberOf, templateColumns, validateReplicated } from './workload.js';

const schema = object(
  {
    spec: object(
      {
        replicas: int32({ description: 'Desired number of pods.', default: 1 }),
        minReadySeconds: int32('Seconds a pod must be ready to count as available.'),
        selector: { ...LABEL_SELECTOR, description: 'Which pods belong to it; cannot be changed.' },
        template: POD_TEMPLATE,
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

/** The labels of a ReplicaSet are those of its pods unless it has its own. */
function applyDefaults(o: KubeObject): void {
  const template = objectAt(o, 'spec', 'template');
  const labels = objectAt(template, 'metadata', 'labels') as Record<string, string>;
  if (Object.keys(o.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0) {
    o.metadata.labels = { ...labels };
  }
  defaultPodSpec(objectAt(template, 'spec'));
}

const counts = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

/** Source: Kubernetes pkg/apis/apps/validation, ValidateReplicaSetStatus. */
function validateStatus(o: KubeObject): Cause[] {
  const status = objectAt(o, 'status');
  const atMost = (name: string, limit: string): Cause[] =>
    numberOf(status, name) > numberOf(status, limit)
      ? [
          invalid(
            `status.${name}`,
            numberOf(status, name),
            `cannot be greater than ${limit === 'replicas' ? 'status.replicas' : limit}`,
          ),
        ]
      : [];
  return [
    ...nonNegative(status, 'status', [...counts, 'observedGeneration']),
    ...counts.slice(1).flatMap((name) => atMost(name, 'replicas')),
    ...atMost('availableReplicas', 'readyReplicas'),
  ];
}

function validateUpdate(o: KubeObject, old: KubeObject): Cause[] {
  const selector = valueAt(o, 'spec', 'selector');
  if (jsonEqual(selector, valueAt(old, 'spec', 'selector'))) return [];
  return [invalid('spec.selector', selector, 'field is immutable')];
}

/** apps/v1 ReplicaSet. */
export const REPLICA_SET: Resource = defineKind({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  schema,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  fields: { 'status.replicas': (o) => String(numberOf(o, 'status', 'replicas')) },
  columns: [
    NAME,
    column('Desired', 'Desired number of pods.', (o) => numberOf(o, 'spec', 'replicas'), 'integer'),
    column('Current', 'Pods in all.', (o) => numberOf(o, 'status', 'replicas'), 'integer'),
    column('Ready', 'Pods that are ready.', (o) => numberOf(o, 'status', 'readyReplicas'), 'integer'),
    AGE,
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
      ...validateStatus(o),
    ],
    validateUpdate,
  },
});
