import { objectAt, objectsAt, type KubeObject } from '../../object.js';
import { dateTime, int32, int64, object } from '../../schema/dsl.js';
import { isObject } from '../../schema/json.js';
import type { Json, JsonObject, Schema } from '../../schema/types.js';
import { objectReference } from './schema.js';

const prefix = 'autoscaling.alpha.kubernetes.io/';
const cpuDefault = 80;

/** autoscaling/v1 HorizontalPodAutoscaler: its only metric is the CPU utilization. */
export const autoscalerSchemaV1: Schema = object(
  {
    spec: object(
      {
        scaleTargetRef: { ...objectReference, default: {} },
        minReplicas: int32({ description: 'Least number of pods.', default: 1 }),
        maxReplicas: int32('Greatest number of pods.'),
        targetCPUUtilizationPercentage: int32('Percentage of the processor that the pods request.'),
      },
      { description: 'Target and limits.', default: {}, required: ['scaleTargetRef', 'maxReplicas'] },
    ),
    status: object(
      {
        observedGeneration: int64('Generation that the status is about.'),
        lastScaleTime: dateTime('When the number last changed.'),
        currentReplicas: int32('Number of pods.'),
        desiredReplicas: int32('Number of pods that there should be.'),
        currentCPUUtilizationPercentage: int32('Percentage of the processor that the pods use.'),
      },
      { description: 'What the autoscaler found.', default: {} },
    ),
  },
  'Sets the number of pods of a workload by their use of the processor.',
);

const isCpuShare = (metric: JsonObject, field: 'target' | 'current'): boolean =>
  objectAt(metric, 'resource')['name'] === 'cpu' &&
  objectAt(metric, 'resource', field)['averageUtilization'] !== undefined;

const shareOf = (metric: JsonObject | undefined, field: 'target' | 'current'): Json | undefined =>
  metric && objectAt(metric, 'resource', field)['averageUtilization'];

/** Returns the autoscaler in v1. Fields that v1 does not have are in annotations, as in Kubernetes. */
export function toV1(stored: KubeObject): KubeObject {
  const { metrics: _metrics, behavior, ...spec } = objectAt(stored, 'spec');
  const { currentMetrics: _currentMetrics, conditions, ...status } = objectAt(stored, 'status');
  const metrics = objectsAt(stored, 'spec', 'metrics');
  const cpu = metrics.find((metric) => isCpuShare(metric, 'target'));
  const found = objectsAt(stored, 'status', 'currentMetrics');
  const target = shareOf(cpu, 'target');
  const current = shareOf(
    found.find((metric) => isCpuShare(metric, 'current')),
    'current',
  );
  const others = metrics.filter((metric) => metric !== cpu);
  const annotations = {
    ...stored.metadata.annotations,
    ...annotation('metrics', others.length > 0 ? others : undefined),
    ...annotation('behavior', behavior),
    ...annotation('current-metrics', found.length > 0 ? found : undefined),
    ...annotation('conditions', conditions),
  };
  return {
    ...stored,
    apiVersion: 'autoscaling/v1',
    metadata: { ...stored.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status: { ...status, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
  };
}

function annotation(name: string, value: Json | undefined): Record<string, string> {
  return value === undefined ? {} : { [prefix + name]: JSON.stringify(value) };
}

/** Returns an autoscaler of v1 as it is stored. */
export function fromV1(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = objectAt(object, 'spec');
  const { currentCPUUtilizationPercentage: _current, ...status } = objectAt(object, 'status');
  const { annotations = {}, ...metadata } = object.metadata;
  const others = listIn(annotations, 'metrics');
  const share = target ?? (others.length === 0 ? cpuDefault : undefined);
  const cpu: JsonObject[] =
    share === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: share } },
          },
        ];
  const behavior = parsed(annotations[`${prefix}behavior`]);
  const conditions = listIn(annotations, 'conditions');
  const found = listIn(annotations, 'current-metrics');
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith(prefix));
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
    spec: { ...spec, metrics: [...cpu, ...others], ...(isObject(behavior) && { behavior }) },
    status: {
      ...status,
      currentMetrics: found.length > 0 ? found : null,
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

function listIn(annotations: Readonly<Record<string, string>>, name: string): JsonObject[] {
  const value = parsed(annotations[prefix + name]);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the value of an annotation; undefined if it is not JSON. */
function parsed(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
