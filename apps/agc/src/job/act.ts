import { ifFound } from '@interlock/api';
import type { ActContext, Secret } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { continueTrace } from '@interlock/service';
import { deleteWorkerPod } from '../worker-pod/delete-pod.js';
import { concludeAtService } from './conclude-at-service.js';
import { admitWorkerPod, createWorkerPod } from './create-pod.js';
import { isRevoked, type JobDecision } from './decide.js';
import type { ObservedJob, Place } from './observed.js';
import type { JobOutcome } from './outcome.js';
import { placeInGroup } from './place.js';
import type { DeletionReason } from './record.js';

const nothing: JobOutcome = { type: 'none' };

/** Applies a decision about a job. Every call can be repeated. @throws TypedError */
export async function actOnJob(
  context: AgcContext,
  decision: JobDecision,
  observed: ObservedJob,
  step: Pick<ActContext<Secret>, 'signal' | 'now'>,
): Promise<JobOutcome> {
  const { jobs } = context;
  const { signal, now } = step;
  if (decision.type !== 'conclude') await followSiblings(context, observed, signal);
  switch (decision.type) {
    case 'wait':
      if (decision.for === 'lock') await adoptLate(context, observed, signal);
      return nothing;
    case 'create':
      return create(context, observed, step);
    case 'admit':
      if (observed.pod !== undefined) await admitWorkerPod(context, observed.pod, signal);
      return nothing;
    case 'markStarted':
      await jobs.update(observed, { phase: 'Running', startedAt: now }, signal);
      return nothing;
    case 'stop':
      await jobs.update(observed, { stop: decision.reason, isRevoked: isRevoked(observed) }, signal);
      await deletePod(context, observed, decision, signal);
      /* A deletion whose grace period is shortened is the same deletion. */
      if (observed.pod?.isDeletedByUs === true && observed.pod.deletionAt !== undefined) return nothing;
      return { type: 'stopped', reason: decision.reason };
    case 'relaunch': {
      const { launches } = observed.record;
      await jobs.update(observed, { phase: 'Staged', launches: launches + 1 }, signal);
      return { type: 'relaunched', message: decision.message };
    }
    case 'conclude': {
      const { record } = observed;
      if (record.end === undefined)
        await jobs.update(observed, { phase: 'Concluding', end: decision.end }, signal);
      if (observed.pod?.runsAgain === true)
        await deletePod(context, observed, { reason: 'job_abandoned' }, signal);
      const attributes = { 'interlock.ending': decision.end.ending };
      return continueTrace(context.tracer, record.traceparent, 'conclude', attributes, () =>
        concludeAtService(context, observed, decision.end, signal),
      );
    }
  }
}

/** Also renews the locks of deliveries that another replica has added: it renews them only while it leads their group. */
async function followSiblings(
  { jobs, locks, groups }: AgcContext,
  { secret, record: { siblings }, group }: ObservedJob,
  signal: AbortSignal,
): Promise<void> {
  if (siblings.length === 0) return;
  const { name, namespace = '' } = secret.metadata;
  const work = groups.get(group.metadata.name);
  if (work === undefined || (locks.siblings(name) ?? Infinity) >= siblings.length) return;
  const [, ...others] = await jobs.locks({ name, namespace }, siblings, signal);
  locks.setSiblings(
    name,
    others.map((other) => work.source.lock(other)),
  );
}

/**
 * Adopts a job that an earlier leader recorded after this replica had adopted the recorded jobs: a process that was paused continues
 * before it learns that it has lost the lease. Removes its record if this replica has run the job to its end in the meantime.
 */
async function adoptLate(
  { jobs, locks, groups, ended }: AgcContext,
  { secret, record, group }: ObservedJob,
  signal: AbortSignal,
): Promise<void> {
  const work = groups.get(group.metadata.name);
  const { name } = secret.metadata;
  if (work?.isAdopted !== true || locks.has(name)) return;
  if (ended.conclusionOf(record.planId) === undefined) await work.adoptLate(name, record, signal);
  else await jobs.remove({ secret, record }, signal);
}

/** Creates or records a worker pod. Other jobs may have taken the place since it was observed: nothing is awaited until it is reserved. */
async function create(
  context: AgcContext,
  observed: ObservedJob,
  step: Pick<ActContext<Secret>, 'signal' | 'now'>,
): Promise<JobOutcome> {
  const { pod, group, record } = observed;
  /* A pod that is only recorded has its place already. */
  const place: Place = pod === undefined ? placeInGroup(context, group) : { type: 'free' };
  if (place.type === 'full') return { type: 'crowdedOut' };
  return continueTrace(context.tracer, record.traceparent, 'pod', {}, () =>
    createWorkerPod(context, observed, place.priorityClassName, step),
  );
}

/** Deletes the worker pod of a job, unless it is gone already. */
async function deletePod(
  { manager: { client }, namespace }: AgcContext,
  { pod }: ObservedJob,
  { reason, graceSeconds }: { reason: DeletionReason; graceSeconds?: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (pod === undefined) return;
  const { name, uid } = pod;
  await ifFound(deleteWorkerPod(client, { name, namespace }, { uid, reason, graceSeconds }, signal));
}
