import { withCondition, type PodCondition } from '../../controllers/pod-writes.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** What the conditions of a pod follow from. */
export interface PodState {
  phase: string;
  /** Whether the pod has its network. */
  hasSandbox: boolean;
  /** Names of init containers that are not done. */
  uninitialized: readonly string[];
  /** Names of containers that are not ready. */
  unready: readonly string[];
  /** Why the node is ending the pod. */
  disruption?: string | undefined;
}

const own = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** Returns the conditions of a pod, those of others first, as a kubelet reports them (Kubernetes pkg/kubelet/status). */
export function podConditions(pod: KubeObject, state: PodState, now: string): JsonObject[] {
  const stored = objectsAt(pod, 'status', 'conditions');
  const { disruption } = state;
  const observedGeneration = pod.metadata.generation ?? 1;
  const containersReady = containersReadyOf(state);
  const reported: PodCondition[] = [
    { type: 'PodReadyToStartContainers', status: state.hasSandbox ? 'True' : 'False' },
    initializedOf(state),
    readyOf(pod, containersReady),
    { ...containersReady, type: 'ContainersReady' },
    { type: 'PodScheduled', status: 'True' },
  ];
  if (disruption !== undefined) {
    const reason = 'TerminationByKubelet';
    reported.unshift({ type: 'DisruptionTarget', status: 'True', reason, message: disruption });
  }
  const others = stored.filter(
    ({ type }) => !own.includes(String(type)) && (disruption === undefined || type !== 'DisruptionTarget'),
  );
  const made = reported.map((condition) => {
    const before = stored.filter(({ type }) => type === condition.type);
    return withCondition(before, { ...condition, observedGeneration }, now)[0] ?? condition;
  });
  return [...others, ...made];
}

function initializedOf({ phase, uninitialized }: PodState): PodCondition {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  if (uninitialized.length === 0) return { type, status: 'True' };
  const message = `containers with incomplete status: [${uninitialized.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReadyOf({ phase, unready }: PodState): PodCondition {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { type, status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotReady', message };
}

/** A pod is ready when its containers are, and the conditions that it names as its gates are true. */
function readyOf(pod: KubeObject, containersReady: PodCondition): PodCondition {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' };
  const problems = objectsAt(pod, 'spec', 'readinessGates').flatMap((gate) => {
    const type = textAt(gate, 'conditionType');
    const found = objectsAt(objectAt(pod, 'status'), 'conditions').find((one) => one['type'] === type);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    const status = textAt(found, 'status');
    return status === 'True'
      ? []
      : [`the status of pod readiness gate "${type}" is not "True", but ${status}`];
  });
  if (problems.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}
