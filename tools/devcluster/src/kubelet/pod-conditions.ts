import { withPodCondition, type NewCondition } from '../controllers/conditions.js';
import { conditionOf } from '../controllers/pod-state.js';
import { objectsAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** The inputs of the conditions of a pod. */
export interface PodProgress {
  phase: string;
  /** Whether the pod has its network. */
  hasSandbox: boolean;
  /** Names of incomplete init containers. */
  uninitialized: readonly string[];
  /** Names of containers that are not ready. */
  unready: readonly string[];
}

/** Returns the conditions that a kubelet reports for a pod. Source: Kubernetes pkg/kubelet/status, generate.go. */
export function reportedConditions(pod: KubeObject, progress: PodProgress): NewCondition[] {
  const containers = containersReady(progress);
  return [
    { type: 'PodReadyToStartContainers', status: progress.hasSandbox ? 'True' : 'False' },
    initialized(progress),
    ready(pod, containers),
    containers,
  ];
}

/** Returns the conditions to write for a pod. A condition with the same status keeps its time. @param now RFC 3339 */
export function writtenConditions(
  pod: KubeObject,
  conditions: readonly NewCondition[],
  now: string,
): JsonObject[] {
  const { generation } = pod.metadata;
  return conditions.flatMap((condition) => {
    const before = conditionOf(pod, condition.type);
    const observed = { ...condition, ...(generation !== undefined && { observedGeneration: generation }) };
    return withPodCondition(before === undefined ? [] : [before], observed, now);
  });
}

function initialized({ phase, uninitialized }: PodProgress): NewCondition {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  if (uninitialized.length === 0) return { type, status: 'True' };
  const message = `containers with incomplete status: [${uninitialized.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady({ phase, unready }: PodProgress): NewCondition {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { type, status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotReady', message };
}

/**
 * Returns the condition Ready: a pod is ready when its containers are ready and the condition of each of its readiness
 * gates is True.
 */
function ready(pod: KubeObject, containers: NewCondition): NewCondition {
  if (containers.status !== 'True') return { ...containers, type: 'Ready' };
  const problems = objectsAt(pod, 'spec', 'readinessGates').flatMap((gate) => {
    const type = textAt(gate, 'conditionType');
    const found = conditionOf(pod, type);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    if (found['status'] === 'True') return [];
    return [`the status of pod readiness gate "${type}" is not "True", but ${textAt(found, 'status')}`];
  });
  if (problems.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}
