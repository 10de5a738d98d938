import { messageOf, TypedError, type EventResponse } from '@interlock/api';
import type { ReconcileContext, ReconcileResult } from '@interlock/kube';
import { branchOf, type AbsentTarget, type ChangePlan } from '@interlock/responding';
import type { ScmRepository } from '@interlock/scm';
import { makeAttempt } from '../attempt/attempt.js';
import { asOperators } from '../attempt/operator-error.js';
import { recordProposal } from '../attempt/record.js';
import { isSameRepository } from '../config/repositories.js';
import { withTimeLimit } from '../time-limit.js';
import { continueTrace } from '../trace.js';
import type { Observation } from './observe.js';
import { coolDownOf } from './limits.js';
import type { AttemptMode, AttemptResult, Decision, Hold } from './observed.js';
import { outcomeOf } from './outcome.js';
import type { Responder } from './responder.js';
import { settle } from './settle.js';
import { StatusBuilder } from './status.js';

/** Shorter than the time limit of a reconcile, so that it can be written down how the attempt ended; milliseconds. */
const longestAttemptMs = 90_000;

/** Writes down that an attempt begins, makes it, and writes down how it ended. */
export async function runAttempt(
  responder: Responder,
  observation: Observation,
  { mode, status }: Decision & { type: 'attempt' },
  { signal, log }: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const { manager, writer, occupancy, duplicates, tracer, metrics, random, maxAttempts } = responder;
  const { response } = observation.observed;
  const provider = status.route?.provider ?? 'none';
  if (mode === 'submit' && status.route !== undefined) occupancy.take(response, status.route);
  let current = response;
  try {
    current = await writer.write(response, status, signal);
    const attributes = {
      'interlock.response.name': response.metadata.name,
      'interlock.response.uid': response.metadata.uid ?? '',
      'interlock.attempt.mode': mode,
      'interlock.provider': provider,
      'interlock.repository': status.route?.repository ?? '',
    };
    const { traceparent } = observation.event?.spec ?? {};
    return await continueTrace(tracer, traceparent, 'respond', attributes, async (span) => {
      const began = manager.clock.monotonic();
      const result = await resultOf(responder, observation, mode, current, signal, (written) => {
        current = written;
      });
      const outcome = outcomeOf(result);
      span.setAttribute('interlock.attempt.outcome', outcome);
      if (result.type === 'failed') log.warn({ error: messageOf(result.error), mode }, 'the attempt failed');
      if (mode === 'submit') metrics.attempted(provider, outcome, (manager.clock.monotonic() - began) / 1000);
      let requeueAfterMs: number | undefined;
      current = await writer.change(
        current,
        (live) => {
          const settled = settle(
            { response: live, mode, result, maxAttempts },
            manager.clock.now(),
            random(),
          );
          ({ requeueAfterMs } = settled);
          return settled.status;
        },
        signal,
      );
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    });
  } finally {
    occupancy.release(current);
    duplicates.release(current);
  }
}

/** @param written is called with the response whenever its status was written on the way. */
async function resultOf(
  responder: Responder,
  observation: Observation,
  mode: AttemptMode,
  response: EventResponse,
  signal: AbortSignal,
  written: (response: EventResponse) => void,
): Promise<AttemptResult> {
  const { manager, writer, cluster, events } = responder;
  const { taken, event, gate } = observation;
  const { route: recorded, changeRequest } = response.status ?? {};
  const isHere = mode === 'submit' || mode === 'plan';
  if ((isHere ? taken?.route.provider.kind : recorded?.provider) === 'noop') {
    return recordedResult(responder, observation, mode, response);
  }
  let current = response;
  const change = async (
    next: (live: EventResponse, builder: StatusBuilder) => StatusBuilder,
  ): Promise<void> => {
    const built = (live: EventResponse) => next(live, new StatusBuilder(live, manager.clock.now())).build();
    current = await writer.change(current, built, signal);
    written(current);
  };
  const attempt = async (limited: AbortSignal): Promise<AttemptResult> => {
    const repository = await repositoryOf(responder, isHere ? taken : undefined, recorded, limited);
    const isSame =
      recorded !== undefined && taken !== undefined && isSameRepository(recorded, taken.route.provider);
    const branch = changeRequest?.branch ?? branchOf(response, taken?.route.provider.baseBranch ?? '');
    return makeAttempt({
      client: manager.client,
      mode,
      response,
      event,
      route: isHere || isSame ? taken?.route : undefined,
      index: taken?.index ?? 0,
      cluster,
      gate,
      branch,
      repository,
      signal: limited,
      wasRemoved: (target, digest) => wasRemoved(responder, response, target, digest),
      holdOf: (plan) => claimChange(responder, response, taken, plan),
      onPlanned: (plan) =>
        change((live, builder) => {
          stopIfCancelled(live);
          return begin(builder, plan, branch);
        }),
      onOpened: (request) => change((_, builder) => builder.request(request).set({ stage: 'Submitted' })),
      onWarning: (note) =>
        events.record(response, { type: 'Warning', reason: 'NotDecorated', action: 'Respond', note }),
    });
  };
  try {
    return await withTimeLimit(manager.clock, longestAttemptMs, signal, attempt);
  } catch (error) {
    signal.throwIfAborted();
    return { type: 'failed', error, uncertain: current.status?.changeRequest?.branch !== undefined };
  }
}

/** From now on, there may be a branch. */
function begin(builder: StatusBuilder, plan: ChangePlan, branch: string): StatusBuilder {
  return builder
    .plan(plan)
    .condition('planned', 'True', 'Planned', `${plan.files.length} files change`)
    .set({ stage: 'Planned', changeRequest: { branch } });
}

function wasRemoved(
  { removals }: Responder,
  { status }: EventResponse,
  target: AbsentTarget,
  digest: string,
): boolean {
  return status?.route !== undefined && removals.has(status.route, target, digest);
}

/** Returns why a change is not proposed now; without a reason, notes that the response proposes it. */
function claimChange(
  { duplicates, manager }: Responder,
  response: EventResponse,
  taken: Observation['taken'],
  { digest }: ChangePlan,
): Hold | undefined {
  const { route } = response.status ?? {};
  if (route === undefined || taken === undefined) return undefined;
  const hold = duplicates.holdOf(response, route, digest, coolDownOf(taken.route), manager.clock.now());
  if (hold === undefined) duplicates.take(response, route, digest);
  return hold;
}

/** Provider `noop`: what would be proposed is written down, and nothing is called. */
function recordedResult(
  { cluster }: Responder,
  { taken, event, gate }: Observation,
  mode: AttemptMode,
  response: EventResponse,
): AttemptResult {
  if (taken === undefined || mode === 'find' || mode === 'leave') return { type: 'absent' };
  const result = recordProposal({ ...taken, event, response, cluster, gate });
  if (mode === 'submit' || result.type !== 'submitted' || result.plan === undefined) return result;
  return { type: 'planned', plan: result.plan };
}

/** @returns the repository of the route that is taken, or else that to which the response was routed before. */
async function repositoryOf(
  { repositories }: Responder,
  taken: Observation['taken'],
  recorded: NonNullable<EventResponse['status']>['route'],
  signal: AbortSignal,
): Promise<ScmRepository> {
  if (taken !== undefined) {
    const { repository } = await asOperators(() => repositories.open(taken.route.provider, signal));
    return repository;
  }
  if (recorded !== undefined) return repositories.reopen(recorded, signal);
  throw new TypedError('Permanent', 'the response was never routed', { reason: 'NotRouted' });
}

/** @throws TypedError that ends the attempt. */
function stopIfCancelled({ status }: EventResponse): void {
  if (status?.phase === 'Cancelled' || status?.cancelReason !== undefined) {
    throw new TypedError('Conflict', 'the response was cancelled meanwhile', { reason: 'Cancelled' });
  }
}
