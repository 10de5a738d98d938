import { objectAt, valueAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { invalid } from '../schema/field-error.js';
import { boolean, int32, int64, intOrString, listMap, object, string } from '../schema/dsl.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';
import { condition } from './core.js';
import { AGE, column, defineKind, NAME } from './define.js';
import { defaultPodSpec } from './pod-defaults.js';
import { POD_TEMPLATE } from './pod-spec-schema.js';
import { validateRollout } from './deployment-rollout.js';
import { LABEL_SELECTOR } from './rbac.js';
import { nonNegative, numberOf, templateColumns, validateReplicated } from './workload.js';

const schema = object(
  {
    spec: object(
      {
        replicas: int32({ description: 'Wanted number of pods.', default: 1 }),
        selector: { ...LABEL_SELECTOR, description: 'Which pods belong to it; cannot be changed.' },
        template: POD_TEMPLATE,
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
      { description: 'What is wanted.', required: ['selector', 'template'], default: {} },
    ),
    status: object(
      {
        observedGeneration: int64('Generation that the status is about.'),
        replicas: int32('Pods in all.'),
        updatedReplicas: int32('Pods of the present template.'),
        readyReplicas: int32('Pods that are ready.'),
        availableReplicas: int32('Pods that are available.'),
        unavailableReplicas: int32('Pods that are missing.'),
        terminatingReplicas: int32('Pods that are going.'),
        conditions: listMap(condition(), ['type'], 'State in detail.'),
        collisionCount: int32('Names of ReplicaSets that were taken.'),
      },
      { description: 'What there is.', default: {} },
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
    ...validateStatus(o),
  ];
}

/** Counts of a status are not negative, and those of some pods not greater than that of all. */
function validateStatus(o: KubeObject): Cause[] {
  const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'];
  const negative = counts.filter((field) => numberOf(o, 'status', field) < 0);
  const atMost = (field: string, limit: string): Cause[] =>
    numberOf(o, 'status', field) > numberOf(o, 'status', limit)
      ? [
          invalid(
            `status.${field}`,
            numberOf(o, 'status', field),
            `cannot be greater than ${limit === 'replicas' ? 'status.replicas' : limit}`,
          ),
        ]
      : [];
  return [
    ...negative.map((field) =>
      invalid(`status.${field}`, numberOf(o, 'status', field), 'must be greater than or equal to 0'),
    ),
    ...['updatedReplicas', 'readyReplicas', 'availableReplicas'].flatMap((field) =>
      atMost(field, 'replicas'),
    ),
    ...atMost('availableReplicas', 'readyReplicas'),
  ];
}

function validateUpdate(o: KubeObject, old: KubeObject): Cause[] {
  const selector = valueAt(o, 'spec', 'selector');
  return jsonEqual(selector, valueAt(old, 'spec', 'selector'))
    ? []
    : [invalid('spec.selector', selector, 'field is immutable')];
}

/** apps/v1 Deployment. */
export const DEPLOYMENT: Resource = defineKind({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  schema,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  columns: [
    NAME,
    column(
      'Ready',
      'Pods that are ready, of those wanted.',
      (o) => `${String(numberOf(o, 'status', 'readyReplicas'))}/${String(numberOf(o, 'spec', 'replicas'))}`,
    ),
    column('Up-to-date', 'Pods of the present template.', (o) => numberOf(o, 'status', 'updatedReplicas')),
    column('Available', 'Pods that are available.', (o) => numberOf(o, 'status', 'availableReplicas')),
    AGE,
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
    validateUpdate,
  },
});
