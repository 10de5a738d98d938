import { objectAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { boolean, int32, int64, intOrString, listMap, object, string } from '../../schema/dsl.js';
import type { Cause } from '../../schema/types.js';
import { condition } from '../meta/condition.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { defaultPodSpec } from '../pod/defaults.js';
import { podTemplate } from '../pod/spec-schema.js';
import { validateRollout } from './rollout-validation.js';
import { labelSelector } from '../meta/label-selector.js';
import {
  nonNegative,
  numberOf,
  replicaScale,
  templateColumns,
  validateReplicaStatus,
  validateReplicated,
  validateSelectorUpdate,
} from '../workload.js';

const schema = object(
  {
    spec: object(
      {
        replicas: int32({ description: 'Desired number of pods.', default: 1 }),
        selector: { ...labelSelector, description: 'Which pods belong to it; cannot be changed.' },
        template: podTemplate,
        strategy: object(
          {
            type: string('RollingUpdate or Recreate.'),
            rollingUpdate: object({
              maxUnavailable: intOrString('How many pods may be missing.'),
              maxSurge: intOrString('How many pods may be too many.'),
            }),
          },
          {
            description: 'How pods are replaced.',
            default: {},
            'x-kubernetes-patch-strategy': 'retainKeys',
          },
        ),
        minReadySeconds: int32('Seconds a pod must be ready to count as available.'),
        revisionHistoryLimit: int32({ description: 'Old ReplicaSets to keep.', default: 10 }),
        paused: boolean('Whether changes wait.'),
        progressDeadlineSeconds: int32({ description: 'Seconds until a rollout has failed.', default: 600 }),
      },
      { description: 'The desired state.', required: ['selector', 'template'], default: {} },
    ),
    status: object(
      {
        observedGeneration: int64('Generation that the status is about.'),
        replicas: int32('Pods in all.'),
        updatedReplicas: int32('Pods of the current template.'),
        readyReplicas: int32('Pods that are ready.'),
        availableReplicas: int32('Pods that are available.'),
        unavailableReplicas: int32('Pods that are missing.'),
        terminatingReplicas: int32('Pods that are being deleted.'),
        conditions: listMap(condition(), ['type'], 'State in detail.'),
        collisionCount: int32('Names of ReplicaSets that were taken.'),
      },
      { description: 'The observed state.', default: {} },
    ),
  },
  'Keeps a number of equal pods running and replaces them step by step.',
);

function applyDefaults(o: KubeObject): void {
  const spec = objectAt(o, 'spec');
  const strategy = objectAt(spec, 'strategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') {
    strategy['rollingUpdate'] = {
      maxUnavailable: '25%',
      maxSurge: '25%',
      ...objectAt(strategy, 'rollingUpdate'),
    };
  }
  defaultPodSpec(objectAt(spec, 'template', 'spec'));
}

function validate(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  return [
    ...nonNegative(spec, 'spec', ['replicas']),
    ...validateReplicated(o),
    ...validateRollout(spec),
    ...validateReplicaStatus(
      o,
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ['unavailableReplicas'],
    ),
  ];
}

/** apps/v1 Deployment. */
export const deploymentKind: Resource = defineKind({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  schema,
  scale: replicaScale,
  columns: [
    nameColumn,
    column(
      'Ready',
      'Pods that are ready, of those desired.',
      (o) => `${String(numberOf(o, 'status', 'readyReplicas'))}/${String(numberOf(o, 'spec', 'replicas'))}`,
    ),
    column('Up-to-date', 'Pods of the current template.', (o) => numberOf(o, 'status', 'updatedReplicas')),
    column('Available', 'Pods that are available.', (o) => numberOf(o, 'status', 'availableReplicas')),
    ageColumn,
    ...templateColumns,
  ],
  strategy: {
    generation: true,
    status: true,
    desired: (o) => [o['spec'] ?? {}, o.metadata.annotations ?? {}],
    defaults: applyDefaults,
    prepareCreate: (o) => {
      o['status'] = {};
    },
    validate,
    validateUpdate: validateSelectorUpdate,
  },
});
