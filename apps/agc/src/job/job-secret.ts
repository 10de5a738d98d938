import { createHash } from 'node:crypto';
import {
  TypedError,
  runnerAnnotations,
  runnerLabels,
  payloadChunkBytes,
  payloadChunkKey,
  payloadKey,
  type RunnerGroup,
} from '@interlock/api';
import type { Claim, LockReference } from '@interlock/broker';
import { childName, type Pod, type Secret } from '@interlock/kube';
import * as z from 'zod';
import { groupReference, planLabelOf } from '../group-objects.js';
import { encodeRecord, recordableRun, type JobRecord } from './record.js';

/** A claim with the W3C trace context of the span in which it was made. */
export interface TracedClaim extends Claim {
  traceparent?: string | undefined;
}

/** The number of Secrets for a payload of 15 MiB; a Secret may hold 1 MiB (Kubernetes: MaxSecretSize). */
const maxParts = 20;

/** How long GitHub locks a newly claimed job. */
const firstLockMs = 10 * 60_000;

/** The value of the label that the Secrets of jobs have. */
export const jobComponent = 'job';
const lockKey = 'lock.json';

/** Returns the name of a job's Secret, the same for every delivery of the job. */
export function jobSecretName(planId: string): string {
  return childName('job', planId);
}

/** Returns the label value for a plan id: a part of the name of the Secret, because the plan id may not be a valid label value. */
export function planLabel(planId: string): string {
  return jobSecretName(planId).slice('job-'.length);
}

/** Returns the name of a job's Secret from the label of its worker pod. */
export function secretOfPlan(label: string): string {
  return `job-${label}`;
}

/** Returns the name of the Secret of a pod's job; undefined for a pod that is not a worker pod. */
export function jobSecretOfPod(pod: Pick<Pod, 'metadata'>): string | undefined {
  const plan = planLabelOf(pod);
  return plan === undefined ? undefined : secretOfPlan(plan);
}

/** Returns whether a pod is one of a job: another job may have a pod of the same name, because a long name is cut. */
export function isPodOf(pod: Pick<Pod, 'metadata'>, { planId }: Pick<JobRecord, 'planId'>): boolean {
  return planLabelOf(pod) === planLabel(planId);
}

/** Returns the name of a further part of a job's payload; part 0 is in the job's Secret itself. */
export function partName(name: string, part: number): string {
  return part === 0 ? name : `${name}-${part}`;
}

/** Returns the key of a Secret that holds the locks of a further delivery of the job. */
export function siblingKey(key: string): string {
  return `sibling-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`;
}

/**
 * Returns the Secrets of a claimed job, the further parts of a large payload first. The last one has the record: the job is recorded
 * when it is created.
 *
 * @throws TypedError `Permanent` when the payload is too large for a pod
 */
export function jobSecrets(group: RunnerGroup, claim: TracedClaim, now: number): Secret[] {
  const { payload, identity, key, run, runnerName, traceparent } = claim;
  const parts = Math.max(1, Math.ceil(payload.length / payloadChunkBytes));
  if (parts > maxParts) {
    throw new TypedError(
      'Permanent',
      `the payload of job ${identity.jobId} has ${payload.length} bytes; at most ${maxParts * payloadChunkBytes} can be handed to a worker pod`,
      { reason: 'PayloadTooLarge' },
    );
  }
  const record: JobRecord = {
    version: 1,
    key,
    planId: identity.planId,
    jobId: identity.jobId,
    runnerName,
    run: run && recordableRun(run),
    traceparent,
    phase: 'Staged',
    acquiredAt: now,
    parts,
    siblings: [],
    launches: 0,
    refusals: 0,
  };
  const name = jobSecretName(identity.planId);
  const secrets = Array.from({ length: parts }, (_, part) => {
    const bytes = payload.subarray(part * payloadChunkBytes, (part + 1) * payloadChunkBytes);
    return secretOf(group, partName(name, part), {
      [parts === 1 ? payloadKey : payloadChunkKey(part)]: bytes.toString('base64'),
    });
  });
  const [main] = secrets;
  if (main === undefined) return [];
  Object.assign(main.metadata.labels ?? {}, {
    [runnerLabels.component]: jobComponent,
    [runnerLabels.planId]: planLabel(identity.planId),
  });
  main.metadata.annotations = {
    [runnerAnnotations.jobRecord]: encodeRecord(record),
    [runnerAnnotations.lockedUntil]: new Date(now + firstLockMs).toISOString(),
  };
  main.data = { ...main.data, [lockKey]: encodeLock(claim.lock) };
  return secrets.reverse();
}

function secretOf(group: RunnerGroup, name: string, data: Record<string, string>): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name,
      namespace: group.metadata.namespace ?? '',
      labels: { [runnerLabels.runnerGroup]: group.metadata.name },
      ownerReferences: [groupReference(group)],
    },
    data,
  };
}

const lockSchema = z.object({
  planId: z.string().max(256),
  jobId: z.string().max(256),
  url: z.string().max(4096),
  token: z.string().max(64 * 1024),
  billingOwnerId: z.string().max(256).optional(),
  deliveryId: z.string().max(4096).optional(),
});

/** Returns the value of a Secret's key for a lock. */
export function encodeLock(lock: LockReference): string {
  return Buffer.from(JSON.stringify(lock)).toString('base64');
}

/**
 * Returns the locks in a job's Secret, beginning with the lock of the delivery that runs. Locks that cannot be read are
 * omitted.
 */
export function decodeLocks(
  { data = {} }: Pick<Secret, 'data'>,
  siblings: readonly string[],
): LockReference[] {
  return [lockKey, ...siblings.map(siblingKey)].flatMap((key) => decodeLock(data[key]) ?? []);
}

function decodeLock(value: string | undefined): LockReference | undefined {
  if (value === undefined) return undefined;
  try {
    return lockSchema.safeParse(JSON.parse(Buffer.from(value, 'base64').toString())).data;
  } catch {
    return undefined;
  }
}
