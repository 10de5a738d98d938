import { ifFound, messageOf, recordedGate } from '@interlock/api';
import { truncate } from '@interlock/base';
import { ApiError, isAlreadyExists, Pod, type ActContext, type Secret } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { buildWorkerPod } from '../worker-pod/build.js';
import { isPodOf } from './job-secret.js';
import type { JobOutcome } from './outcome.js';
import type { ObservedJob } from './observed.js';
import { isHeld } from './pod-view.js';
import { isQuotaRefusal } from './refusal.js';

/**
 * Creates the worker pod of a job, records it, and lets it start. An existing pod of the job is from an earlier attempt whose answer was
 * lost.
 *
 * @throws ApiError unless the API server refuses the pod, which is recorded and retried
 */
export async function createWorkerPod(
  context: AgcContext,
  observed: ObservedJob,
  priorityClassName: string | undefined,
  { signal, now }: Pick<ActContext<Secret>, 'signal' | 'now'>,
): Promise<JobOutcome> {
  const { jobs, places, scaleUp, manager, worker } = context;
  const { record, group } = observed;
  const { name } = group.metadata;
  const pod = buildWorkerPod(group, record, worker, priorityClassName);
  /* A pod that is only recorded has its place already. */
  if (observed.pod === undefined) {
    places.reserve(name, pod.metadata.name);
    scaleUp.spend(name, group.spec.scaleUp, manager.clock.monotonic());
  }
  let created: Pod;
  try {
    created = await createOrGet(context, pod, signal);
  } catch (error) {
    places.release(name, pod.metadata.name);
    if (!isRefusal(error)) throw error;
    const refusals = record.refusals + 1;
    const refusal = truncate(messageOf(error), 1000);
    await jobs.update(observed, { refusals, refusedAt: now, refusal }, signal);
    const isLast = refusals > observed.settings.maxQuotaRetries;
    return { type: 'refused', message: refusal, isQuota: isQuotaRefusal(error.message), isLast };
  }
  /* The next pod of this job has another name. */
  if (!isPodOf(created, record)) {
    places.release(name, pod.metadata.name);
    await jobs.update(observed, { launches: record.launches + 1 }, signal);
    return { type: 'relaunched', message: `the pod ${pod.metadata.name} belongs to another job` };
  }
  await jobs.update(observed, { phase: 'PodCreated', refusals: 0 }, signal, created);
  if (isHeld(created)) await admitWorkerPod(context, created.metadata, signal);
  return { type: 'created', pod: created.metadata.name };
}

/** Lets a recorded worker pod start. Does nothing for a pod that is gone. @throws ApiError */
export async function admitWorkerPod(
  { manager: { client }, namespace }: Pick<AgcContext, 'manager' | 'namespace'>,
  { name, uid }: Pick<Pod['metadata'], 'name' | 'uid'>,
  signal: AbortSignal,
): Promise<void> {
  const spec = { schedulingGates: [{ $patch: 'delete', name: recordedGate }] };
  const patch = { metadata: { uid }, spec };
  await ifFound(client.patch(Pod, { name, namespace }, { type: 'strategic', patch }, { signal }));
}

async function createOrGet({ manager: { client } }: AgcContext, pod: Pod, signal: AbortSignal): Promise<Pod> {
  try {
    return await client.create(Pod, pod, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(Pod, { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' }, { signal });
  }
}

/**
 * Returns whether admission refused the pod: quotas and Pod Security with 403, an invalid template with 422. A missing
 * permission, and an API server that cannot judge the pod yet, say nothing about the pod.
 */
function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { type, code, message } = error;
  if (type === 'Transient') return code === 403 && isQuotaRefusal(message);
  return type === 'Invalid' || (code === 403 && !message.includes('cannot create resource'));
}
