import { quantityNumber } from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { isReady } from '../pod-state.js';

/** The inputs of the comparison with a target. */
export interface Sample {
  /** The pods of the target that are not being deleted and have not failed. */
  pods: readonly KubeObject[];
  /** The replicas that the target has now. */
  replicas: number;
  /** Returns the value of a metric for a pod; without a pod, the value for the namespace. */
  metricOf: (metric: string, pod?: string) => number | undefined;
  /** Shares by which a metric may be above and below its target. */
  tolerance: { up: number; down: number };
}

/** The number of replicas that a metric requires, or the reason why there is none. */
export type Proposal =
  { replicas: number; name: string; status: JsonObject } | { reason: string; problem: string };

/** Computes the replicas for one metric. Source: Kubernetes pkg/controller/podautoscaler/replica_calculator.go. */
export function propose(metric: JsonObject, sample: Sample): Proposal {
  const type = textAt(metric, 'type');
  switch (type) {
    case 'Resource':
      return ofResource(type, objectAt(metric, 'resource'), sample);
    case 'ContainerResource':
      return ofResource(type, objectAt(metric, 'containerResource'), sample);
    case 'Pods':
      return ofPods(objectAt(metric, 'pods'), sample);
    case 'Object':
      return ofValue(type, objectAt(metric, 'object'), sample);
    case 'External':
      return ofValue(type, objectAt(metric, 'external'), sample);
    default: {
      const problem = `unknown metric source type "${type}"`;
      return { reason: 'InvalidMetricSourceType', problem };
    }
  }
}

function ofResource(type: 'Resource' | 'ContainerResource', source: JsonObject, sample: Sample): Proposal {
  const name = textAt(source, 'name');
  const container = textAt(source, 'container');
  const target = objectAt(source, 'target');
  const isShare = target['averageUtilization'] !== undefined;
  const failed = (why: string): Proposal => ({
    reason: type === 'Resource' ? 'FailedGetResourceMetric' : 'FailedGetContainerResourceMetric',
    problem: `failed to get ${name} ${isShare ? 'utilization' : 'usage'}: ${why}`,
  });
  const measured = sample.pods.filter(({ metadata }) => sample.metricOf(name, metadata.name) !== undefined);
  if (measured.length === 0) {
    const api = 'unable to fetch metrics from resource metrics API';
    const why = 'the server could not find the requested resource (get pods.metrics.k8s.io)';
    return failed(`unable to get metrics for resource ${name}: ${api}: ${why}`);
  }
  const requests = sample.pods.map((pod) => requestOf(pod, name, container));
  const missing = requests.findIndex((request) => typeof request === 'string');
  if (isShare && missing >= 0) {
    const pod = sample.pods[missing]?.metadata.name ?? '';
    return failed(`missing request for ${name} in container ${String(requests[missing])} of Pod ${pod}`);
  }
  const goal = isShare ? Number(target['averageUtilization']) : quantityNumber(target['averageValue']);
  const pods = sample.pods.map((pod, index) => {
    const request = Number(requests[index]);
    const value = sample.metricOf(name, pod.metadata.name);
    /* A starting pod uses more CPU than later. */
    const isUnready = name === 'cpu' && (!isReady(pod) || textAt(pod, 'status', 'phase') === 'Pending');
    return {
      value,
      isUnready,
      goal: isShare ? (goal * request) / 100 : goal,
      full: isShare ? request : goal,
    };
  });
  const counted = countPods(pods, sample);
  if (counted === undefined)
    return failed('did not receive metrics for targeted pods (pods might be unready)');
  const used = pods.filter(({ value, isUnready }) => value !== undefined && !isUnready);
  const total = sum(used.map(({ value = 0 }) => value));
  const share = Math.trunc((total * 100) / sum(used.map(({ full }) => full)));
  const average = asQuantity(total / used.length);
  const current: JsonObject = isShare
    ? { averageUtilization: share, averageValue: average }
    : { averageValue: average };
  const field = type === 'Resource' ? 'resource' : 'containerResource';
  return {
    replicas: counted,
    name: isShare ? `${name} resource utilization (percentage of request)` : `${name} resource`,
    status: { type, [field]: { name, ...(container !== '' && { container }), current } },
  };
}

/** Returns the amount that the containers of a pod request, or the name of a container that requests nothing. */
function requestOf(pod: KubeObject, resource: string, only: string): number | string {
  let total = 0;
  for (const container of objectsAt(pod, 'spec', 'containers')) {
    const name = textAt(container, 'name');
    if (only !== '' && name !== only) continue;
    const request = objectAt(container, 'resources', 'requests')[resource];
    if (request === undefined) return name;
    total += quantityNumber(request);
  }
  return total;
}

interface Counted {
  value: number | undefined;
  isUnready: boolean;
  /** The target value for this pod. */
  goal: number;
  /** The value at which the pod is fully utilized. */
  full: number;
}

/** Returns the number of replicas for the values of pods; undefined when no ready pod has a value. */
function countPods(pods: readonly Counted[], { replicas, tolerance }: Sample): number | undefined {
  const ready = pods.filter(({ value, isUnready }) => value !== undefined && !isUnready);
  if (ready.length === 0) return undefined;
  const ratio = ratioOf(ready);
  const unready = pods.filter(({ isUnready }) => isUnready);
  const missing = pods.filter(({ value, isUnready }) => value === undefined && !isUnready);
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0) {
    return isTolerated(ratio, tolerance) ? replicas : roundUp(ratio * ready.length);
  }
  /* Missing values must not cause a change: they count as the target when scaling down, and as zero when scaling up. */
  const assumed = missing.map((pod) => ({ ...pod, value: ratio < 1 ? Math.max(pod.full, pod.goal) : 0 }));
  const idle = countsUnready ? unready.map((pod) => ({ ...pod, value: 0 })) : [];
  const all = [...ready, ...assumed, ...idle];
  const next = ratioOf(all);
  const turns = (ratio < 1 && next > 1) || (ratio > 1 && next < 1);
  if (isTolerated(next, tolerance) || turns) return replicas;
  const count = roundUp(next * all.length);
  return (next < 1 && count > replicas) || (next > 1 && count < replicas) ? replicas : count;
}

function ratioOf(pods: readonly { value: number | undefined; goal: number }[]): number {
  return sum(pods.map(({ value = 0 }) => value)) / sum(pods.map(({ goal }) => goal));
}

function ofPods(source: JsonObject, sample: Sample): Proposal {
  const name = textAt(source, 'metric', 'name');
  const goal = quantityNumber(objectAt(source, 'target')['averageValue']);
  const pods = sample.pods.map((pod) => ({
    value: sample.metricOf(name, pod.metadata.name),
    isUnready: textAt(pod, 'status', 'phase') === 'Pending',
    goal,
    full: goal,
  }));
  const replicas = countPods(pods, sample);
  if (replicas === undefined) {
    const why = `unable to get metric ${name}: ${noApi('custom metrics', 'custom.metrics.k8s.io')}`;
    return { reason: 'FailedGetPodsMetric', problem: `failed to get pods metric value: ${why}` };
  }
  const values = pods.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const current = { averageValue: asQuantity(sum(values) / values.length) };
  const metric = objectAt(source, 'metric');
  return { replicas, name: `pods metric ${name}`, status: { type: 'Pods', pods: { metric, current } } };
}

/** Computes the replicas for an object or external metric: one value, or its average per pod. */
function ofValue(type: 'Object' | 'External', source: JsonObject, sample: Sample): Proposal {
  const { replicas, tolerance, pods } = sample;
  const name = textAt(source, 'metric', 'name');
  const target = objectAt(source, 'target');
  const value = sample.metricOf(name);
  if (value === undefined) return missingValue(type, name);
  const { averageValue } = target;
  const isAverage = averageValue !== undefined;
  const goal = quantityNumber(isAverage ? averageValue : target['value']);
  const ready = pods.filter(isReady).length;
  const ratio = isAverage ? value / (goal * replicas) : value / goal;
  const count = roundUp(isAverage ? value / goal : ratio * ready);
  const current: JsonObject = isAverage
    ? { averageValue: asQuantity(value / Math.max(1, replicas)) }
    : { value: asQuantity(value) };
  const { target: _target, ...identity } = source;
  const kind = textAt(source, 'describedObject', 'kind');
  return {
    replicas: isTolerated(ratio, tolerance) ? replicas : count,
    name: type === 'Object' ? `${kind} metric ${name}` : `external metric ${name}(nil)`,
    status: { type, [type.toLowerCase()]: { ...identity, current } },
  };
}

function missingValue(type: 'Object' | 'External', name: string): Proposal {
  if (type === 'Object') {
    const why = `unable to get metric ${name}: ${noApi('custom metrics', 'custom.metrics.k8s.io')}`;
    return { reason: 'FailedGetObjectMetric', problem: `failed to get object metric value: ${why}` };
  }
  const why = `unable to get external metric ${name}: ${noApi('external metrics', 'external.metrics.k8s.io')}`;
  return { reason: 'FailedGetExternalMetric', problem: `failed to get external metric ${name}: ${why}` };
}

function noApi(metrics: string, group: string): string {
  const api = metrics.replace(/s$/, 's API');
  return `unable to fetch metrics from ${api}: no ${api} (${group}) registered`;
}

function isTolerated(ratio: number, { up, down }: Sample['tolerance']): boolean {
  const slack = 1e-9;
  return ratio >= 1 - down - slack && ratio <= 1 + up + slack;
}

/** Rounds up, and ignores floating-point errors. */
function roundUp(value: number): number {
  return Math.ceil(value - 1e-9);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns a value as a quantity in whole units, or else in thousandths. */
function asQuantity(value: number): Json {
  const milli = Math.round(value * 1000);
  return milli % 1000 === 0 ? String(milli / 1000) : `${String(milli)}m`;
}
