import { objectAt, objectsAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { defaultPodSpec } from '../pod/defaults.js';
import { defaultLabels } from '../workload.js';

/** Labels of pods for the uid and the name of their Job; older releases use the keys without a domain. */
export const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'] as const;
export const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'] as const;

/** Fills in the defaults of a Job. Source: Kubernetes pkg/apis/batch/v1/defaults.go. */
export function defaultJob(o: KubeObject): void {
  const spec = objectAt(o, 'spec');
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  spec['parallelism'] ??= 1;
  spec['backoffLimit'] ??= 6;
  spec['completionMode'] ??= 'NonIndexed';
  spec['suspend'] ??= false;
  spec['manualSelector'] ??= false;
  const hasPolicy = valueAt(spec, 'podFailurePolicy') !== undefined;
  spec['podReplacementPolicy'] ??= hasPolicy ? 'Failed' : 'TerminatingOrFailed';
  for (const rule of objectsAt(spec, 'podFailurePolicy', 'rules')) {
    for (const pattern of objectsAt(rule, 'onPodConditions')) pattern['status'] ??= 'True';
  }
  defaultLabels(o);
  defaultPodSpec(objectAt(spec, 'template', 'spec'));
}

/** Generates a unique selector for a Job, and labels for its pods. Source: pkg/registry/batch/job, generateSelector. */
export function generateSelector(o: KubeObject): void {
  const { name, uid = '' } = o.metadata;
  const spec = objectAt(o, 'spec');
  const template = childOf(spec, 'template');
  const labels = childOf(childOf(template, 'metadata'), 'labels');
  for (const label of nameLabels) labels[label] ??= name;
  for (const label of uidLabels) labels[label] ??= uid;
  childOf(childOf(spec, 'selector'), 'matchLabels')[uidLabels[1]] ??= uid;
}

function childOf(parent: JsonObject, key: string): JsonObject {
  const child = objectAt(parent, key);
  parent[key] = child;
  return child;
}
