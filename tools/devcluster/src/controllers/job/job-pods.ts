import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { conditionOf, isReady, restartsOf } from '../pod-state.js';
import { podOf } from '../pod-template.js';

/** Finalizer that keeps a pod until its Job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const maxPrefixLength = 58;

/** Returns whether a Job has not counted the end of a pod yet. */
export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

/** Removes the finalizer from a pod. */
export function untrack({ metadata }: KubeObject): void {
  metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== trackingFinalizer);
  if (metadata.finalizers.length === 0) Reflect.deleteProperty(metadata, 'finalizers');
}

/** Adds the finalizer to a pod. */
export function track(pod: KubeObject): void {
  if (!isTracked(pod)) pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
}

/** Returns the completion index of a pod; undefined when it has none. */
export function indexOf({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns whether the pods of a Job have completion indexes. */
export function isIndexed(job: KubeObject): boolean {
  return textAt(job, 'spec', 'completionMode') === 'Indexed';
}

/** Returns whether the Job replaces a pod only when it has failed, and not already when it is being deleted. */
export function replacesOnlyFailed(job: KubeObject): boolean {
  return textAt(job, 'spec', 'podReplacementPolicy') === 'Failed';
}

/**
 * Returns whether a pod counts as failed. A pod that is being deleted counts, because its end may never be reported. If
 * only failed pods are replaced, it counts only without a node; in a real cluster, the pod garbage collector marks such
 * a pod as failed.
 */
export function hasFailed(pod: KubeObject, job: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return phase === 'Failed';
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return !replacesOnlyFailed(job) || textAt(pod, 'spec', 'nodeName') === '';
}

/** Returns when a pod ended, in milliseconds since the epoch. Source: pkg/controller/job, getFinishedTime. */
export function finishedAt(pod: KubeObject): number {
  const ends = objectsAt(pod, 'status', 'containerStatuses').map((one) =>
    Date.parse(textAt(one, 'state', 'terminated', 'finishedAt')),
  );
  if (ends.length > 0 && !ends.some(Number.isNaN)) return Math.max(...ends);
  const ready = Date.parse(textAt(conditionOf(pod, 'Ready') ?? {}, 'lastTransitionTime'));
  if (!isReady(pod) && !Number.isNaN(ready)) return ready;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = pod.metadata;
  if (deletionTimestamp === undefined) return Date.parse(creationTimestamp);
  return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

/** Returns whether the restarts within pods exceed the limit of failures. Source: pastBackoffLimitOnFailure. */
export function restartsTooOften(job: KubeObject, pods: readonly KubeObject[], limit: number): boolean {
  if (textAt(job, 'spec', 'template', 'spec', 'restartPolicy') !== 'OnFailure') return false;
  const restarts = pods
    .filter((pod) => ['Running', 'Pending'].includes(textAt(pod, 'status', 'phase')))
    .flatMap((pod) =>
      ['initContainerStatuses', 'containerStatuses'].flatMap((list) => objectsAt(pod, 'status', list)),
    )
    .reduce((sum, one) => sum + restartsOf(one), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Returns a pod of a Job. `index`: its completion index in an Indexed Job. */
export function newPod(job: KubeObject, index: number | undefined): KubeObject {
  const template = structuredClone(objectAt(job, 'spec', 'template'));
  if (index === undefined) {
    const pod = podOf(job, template);
    track(pod);
    return pod;
  }
  const pod = podOf(job, template, indexPrefix(job.metadata.name, index));
  const mark = { [indexKey]: String(index) };
  pod.metadata.annotations = { ...pod.metadata.annotations, ...mark };
  pod.metadata.labels = { ...pod.metadata.labels, ...mark };
  const spec = objectAt(pod, 'spec');
  spec['hostname'] = `${job.metadata.name}-${String(index)}`;
  for (const list of ['initContainers', 'containers']) objectsAt(spec, list).forEach(addIndexVariable);
  track(pod);
  return pod;
}

function indexPrefix(name: string, index: number): string {
  const suffix = `-${String(index)}-`;
  return `${name.slice(0, maxPrefixLength - suffix.length)}${suffix}`;
}

function addIndexVariable(container: JsonObject): void {
  const name = 'JOB_COMPLETION_INDEX';
  const env = objectsAt(container, 'env');
  if (env.some((one) => one['name'] === name)) return;
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${indexKey}']` };
  container['env'] = [...env, { name, valueFrom: { fieldRef } }];
}

/** Returns the uids of a list in `status.uncountedTerminatedPods`. */
export function uncountedOf(job: KubeObject, outcome: 'succeeded' | 'failed'): Set<string> {
  return new Set(textsAt(job, 'status', 'uncountedTerminatedPods', outcome));
}

/** Returns whether a Job has no pods for now. */
export function isSuspended(job: KubeObject): boolean {
  return valueAt(job, 'spec', 'suspend') === true;
}
