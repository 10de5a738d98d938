import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectKey } from '@interlock/api';
import { Deployment, type Client, type Pod } from '@interlock/kube';
import { lastWarning, logOf, podsOf } from './app-pods.js';

const pollMs = 200;
const logLines = 5;

/** The progress of a Deployment. */
type Rollout =
  | { isAvailable: true }
  | {
      isAvailable: false;
      /** The reason why it is not available. */
      reason: string;
      /** Whether it cannot become available without a change. */
      isFinal: boolean;
      /** The pod that prevents it from becoming available. */
      pod?: Pod | undefined;
    };

/** Reasons of a waiting container that a kubelet reports after several attempts, or that a retry cannot fix. */
const finalReasons = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'ImagePullBackOff',
  'InvalidImageName',
  'StartError',
]);

/** Returns the progress of a Deployment. @param pods the pods of the Deployment, including terminating pods */
export function rolloutOf({ metadata, spec, status }: Deployment, pods: readonly Pod[]): Rollout {
  if (status?.observedGeneration !== metadata.generation) {
    return { isAvailable: false, isFinal: false, reason: 'no controller has observed it' };
  }
  const desired = spec?.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  if (counts.every((count) => (count ?? 0) === desired)) return { isAvailable: true };
  const failure = status?.conditions?.find((one) => one.type === 'ReplicaFailure' && one.status === 'True');
  if (failure !== undefined) {
    return { isAvailable: false, isFinal: true, reason: `${failure.reason ?? ''}: ${failure.message ?? ''}` };
  }
  const pod = pods.find((one) => one.metadata.deletionTimestamp === undefined && !isReady(one));
  if (pod !== undefined) return { isAvailable: false, ...stateOf(pod), pod };
  const [, updated = 0, available = 0] = counts;
  const reason = `${updated} of ${desired} replicas are updated, ${available} are available`;
  return { isAvailable: false, isFinal: false, reason };
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
}

/** Returns why a pod is not ready. */
function stateOf({ metadata, status }: Pod): { reason: string; isFinal: boolean } {
  for (const { name, state, lastState } of status?.containerStatuses ?? []) {
    const { waiting } = state ?? {};
    const ended = state?.terminated ?? lastState?.terminated;
    const end = ended === undefined ? '' : `, ended with exit code ${ended.exitCode}`;
    if (waiting?.reason !== undefined) {
      const message = waiting.message === undefined ? '' : ` (${waiting.message})`;
      const reason = `container ${name} waits: ${waiting.reason}${message}${end}`;
      return { reason, isFinal: finalReasons.has(waiting.reason) };
    }
    if (ended !== undefined) return { reason: `container ${name}${end}`, isFinal: false };
  }
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return { reason: `pod ${metadata.name} is not scheduled: ${scheduled.message ?? ''}`, isFinal: false };
  }
  return { reason: `pod ${metadata.name} is not ready`, isFinal: false };
}

/**
 * Waits until a Deployment is available. @throws Error with the reason of its pod, the last warning about it and the
 * end of its log when the Deployment cannot become available, or not before the timeout
 */
export async function waitForRollout(
  client: Client,
  deployment: ObjectKey,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const rollout = rolloutOf(await client.get(Deployment, deployment), await podsOf(client, deployment));
    if (rollout.isAvailable) return;
    if (rollout.isFinal || Date.now() > deadline) {
      const { namespace = '', name } = deployment;
      const late = rollout.isFinal ? '' : ` after ${timeoutMs / 1000} s`;
      const details = rollout.pod === undefined ? '' : await detailsOf(client, rollout.pod);
      throw new Error(
        `Deployment ${namespace}/${name} is not available${late}: ${rollout.reason}${details}; ` +
          `see kubectl -n ${namespace} describe pods -l app.kubernetes.io/name=${name}`,
      );
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** Returns the last warning about a pod and the end of its log. */
async function detailsOf(client: Client, pod: Pod): Promise<string> {
  const warning = await lastWarning(client, pod);
  const previous = (pod.status?.containerStatuses ?? []).some(({ state }) => state?.running === undefined);
  const log = (await logOf(client, pod, { previous, tailLines: logLines })).trim();
  return [
    ...(warning === undefined ? [] : [`; last warning: ${warning}`]),
    ...(log === '' ? [] : [`; end of the log:\n${log}\n`]),
  ].join('');
}
