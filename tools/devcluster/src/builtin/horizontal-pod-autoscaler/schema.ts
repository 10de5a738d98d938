import { dateTime, int32, int64, list, listMap, object, quantity, string } from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { condition } from '../meta/condition.js';
import { labelSelector } from '../meta/label-selector.js';

/** autoscaling/v2 CrossVersionObjectReference. */
export const objectReference: Schema = object(
  {
    kind: string('Kind of the object.'),
    name: string('Name of the object.'),
    apiVersion: string('API version of the object.'),
  },
  { required: ['kind', 'name'] },
);

/** The field of each type of metric. */
export const metricFields: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const identifier = object(
  { name: string('Name of the metric.'), selector: labelSelector },
  { required: ['name'] },
);

const target = object(
  {
    type: string('Utilization, Value or AverageValue.'),
    value: quantity('Value of the metric.'),
    averageValue: quantity('Value of the metric for each pod.'),
    averageUtilization: int32('Percentage of what the pods request.'),
  },
  { required: ['type'] },
);

const current = object({
  value: quantity('Value of the metric.'),
  averageValue: quantity('Value of the metric for each pod.'),
  averageUtilization: int32('Percentage of what the pods request.'),
});

/** Returns the sources of a metric, each with its target value or its current value. */
function sources(field: 'target' | 'current', value: Schema): Record<string, Schema> {
  return {
    type: string('Object, Pods, Resource, ContainerResource or External.'),
    object: object({ describedObject: objectReference, metric: identifier, [field]: value }),
    pods: object({ metric: identifier, [field]: value }),
    resource: object({ name: string('Name of the resource.'), [field]: value }),
    containerResource: object({
      name: string('Name of the resource.'),
      container: string('Name of the container.'),
      [field]: value,
    }),
    external: object({ metric: identifier, [field]: value }),
  };
}

const rules = object({
  stabilizationWindowSeconds: int32('Seconds over which recommendations are compared.'),
  selectPolicy: string('Max, Min or Disabled.'),
  policies: list(
    object(
      {
        type: string('Pods or Percent.'),
        value: int32('How much may change.'),
        periodSeconds: int32('In how many seconds.'),
      },
      { required: ['type', 'value', 'periodSeconds'] },
    ),
    'Limits of the change.',
  ),
  tolerance: quantity('Share of the target that a metric may differ by.'),
});

/** autoscaling/v2 HorizontalPodAutoscaler. */
export const autoscalerSchema: Schema = object(
  {
    spec: object(
      {
        scaleTargetRef: { ...objectReference, default: {} },
        minReplicas: int32({ description: 'Least number of pods.', default: 1 }),
        maxReplicas: int32('Greatest number of pods.'),
        metrics: list(object(sources('target', target), { required: ['type'] }), 'What the number follows.'),
        behavior: object({ scaleUp: rules, scaleDown: rules }, 'How fast the number changes.'),
      },
      {
        description: 'Target, limits and metrics.',
        default: {},
        required: ['scaleTargetRef', 'maxReplicas'],
      },
    ),
    status: object(
      {
        observedGeneration: int64('Generation that the status is about.'),
        lastScaleTime: dateTime('When the number last changed.'),
        currentReplicas: int32('Number of pods.'),
        desiredReplicas: int32('Number of pods that there should be.'),
        currentMetrics: list(object(sources('current', current), { required: ['type'] }), 'Metrics now.'),
        conditions: listMap(condition(), ['type'], 'State in detail.'),
      },
      { description: 'What the autoscaler found.', default: {} },
    ),
  },
  'Sets the number of pods of a workload by metrics.',
);
