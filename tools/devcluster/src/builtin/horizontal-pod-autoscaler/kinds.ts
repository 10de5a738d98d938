import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { isObject } from '../../schema/json.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { ageColumn, column, defineKind, nameColumn, type KindDefinition } from '../define.js';
import { autoscalerSchema, metricFields } from './schema.js';
import { autoscalerSchemaV1, fromV1, toV1 } from './v1.js';
import { validateAutoscaler } from './validation.js';

const defaultMetrics: readonly JsonObject[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

/** Source: pkg/apis/autoscaling/v2/defaults.go. */
export const scalingDefaults: Readonly<Record<'scaleUp' | 'scaleDown', JsonObject>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
};

function applyDefaults(o: KubeObject): void {
  const spec = objectAt(o, 'spec');
  if (objectsAt(spec, 'metrics').length === 0) spec['metrics'] = structuredClone([...defaultMetrics]);
  const { behavior } = spec;
  if (!isObject(behavior)) return;
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const defaults = structuredClone(scalingDefaults[direction]);
    behavior[direction] = { ...defaults, ...objectAt(behavior, direction) };
  }
}

const longest = 2;

function targetsText(o: KubeObject): string {
  const metrics = objectsAt(o, 'spec', 'metrics');
  const found = objectsAt(o, 'status', 'currentMetrics');
  const texts = metrics.slice(0, longest).map((metric, index) => metricText(metric, found[index] ?? {}));
  const rest = metrics.length - longest;
  if (texts.length === 0) return '<none>';
  return `${texts.join(', ')}${rest > 0 ? ` + ${String(rest)} more...` : ''}`;
}

function metricText(metric: JsonObject, found: JsonObject): string {
  const field = metricFields[textAt(metric, 'type')] ?? '';
  const source = objectAt(metric, field);
  const target = objectAt(source, 'target');
  const current = objectAt(found, field, 'current');
  const text = (value: Json | undefined): string => (value === undefined ? '<unknown>' : String(value));
  if (field === 'resource' || field === 'containerResource') {
    const name = textAt(source, 'name');
    if (target['averageValue'] !== undefined) {
      return `${name}: ${text(current['averageValue'])}/${text(target['averageValue'])}`;
    }
    const share = (value: Json | undefined, none: string): string =>
      value === undefined ? none : `${String(value)}%`;
    const { averageUtilization: now } = current;
    return `${name}: ${share(now, '<unknown>')}/${share(target['averageUtilization'], '<auto>')}`;
  }
  const average = `${text(current['averageValue'])}/${text(target['averageValue'])}`;
  if (field === 'pods') return average;
  if (target['averageValue'] !== undefined) return `${average} (avg)`;
  return `${text(current['value'])}/${text(target['value'])}`;
}

/** The definition of the kind without the group version and its schema. */
const shared: Omit<KindDefinition, 'schema'> = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  columns: [
    nameColumn,
    column('Reference', 'What is scaled.', (o) => {
      const { kind, name } = objectAt(o, 'spec', 'scaleTargetRef');
      return `${String(kind)}/${String(name)}`;
    }),
    column('Targets', 'Metrics now and as they should be.', targetsText),
    column('MinPods', 'Least number of pods.', (o) => String(valueAt(o, 'spec', 'minReplicas') ?? '<unset>')),
    column('MaxPods', 'Greatest number of pods.', (o) => valueAt(o, 'spec', 'maxReplicas') ?? 0),
    column('Replicas', 'Number of pods.', (o) => valueAt(o, 'status', 'currentReplicas') ?? 0),
    ageColumn,
  ],
};

/** autoscaling/v2 HorizontalPodAutoscaler. */
export const horizontalPodAutoscaler: Resource = defineKind({
  ...shared,
  version: 'v2',
  schema: autoscalerSchema,
  strategy: {
    status: true,
    defaults: applyDefaults,
    prepareCreate: (o) => {
      o['status'] = { desiredReplicas: 0, currentMetrics: null };
    },
    validate: validateAutoscaler,
  },
});

/** autoscaling/v1 HorizontalPodAutoscaler. */
const autoscalerV1: Resource = defineKind({
  ...shared,
  columns: horizontalPodAutoscaler.columns.map((one) => ({
    ...one,
    cell: (o, now) => one.cell(fromV1(o), now),
  })),
  schema: autoscalerSchemaV1,
  conversion: { toStorage: fromV1, fromStorage: toV1 },
  strategy: {
    status: true,
    prepareCreate: (o) => {
      o['status'] = { desiredReplicas: 0 };
    },
    validate: (o) => validateAutoscaler(fromV1(o)),
  },
});

/** HorizontalPodAutoscaler in each version, the stored one first. */
export const autoscalerKinds: readonly Resource[] = [horizontalPodAutoscaler, autoscalerV1];
