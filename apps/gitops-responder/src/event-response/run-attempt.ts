import { messageOf, TypedError, type EventResponse } from '@interlock/api';
import { stopwatch } from '@interlock/base';
import type { ActContext } from '@interlock/kube';
import {
  branchOf,
  type AbsentTarget,
  type ChangePlan,
  type ProposalFacts,
  type TakenRoute,
} from '@interlock/responding';
import type { ScmRepository } from '@interlock/scm';
import { continueTrace } from '@interlock/service';
import { makeAttempt } from '../attempt/attempt.js';
import { asOperators } from '../attempt/operator-error.js';
import { recordProposal } from '../attempt/record.js';
import { isSameRepository } from '../config/repositories.js';
import { withTimeLimit } from '../time-limit.js';
import { gateHoldOf } from './gate-hold.js';
import { coolDownOf, maxOpenOf } from './limits.js';
import type { AttemptMode, AttemptResult, Decision, Hold, Observed, ResponseOutcome } from './observed.js';
import { outcomeOf } from './outcome.js';
import type { Responder } from './responder.js';
import { StatusBuilder } from './status.js';

/** Shorter than the time limit of a reconcile, so that the end of the attempt can be recorded; milliseconds. */
const longestAttemptMs = 90_000;

/** Records that an attempt begins, and makes it. */
export async function runAttempt(
  responder: Responder,
  observed: Observed,
  { mode, status }: Decision & { type: 'attempt' },
  context: ActContext<EventResponse>,
): Promise<ResponseOutcome> {
  const { manager, occupancy, duplicates, tracer, metrics } = responder;
  const { response, event, config } = observed;
  const { route } = status;
  const provider = route?.provider ?? 'none';
  const taken = config?.routing.taken;
  if (mode === 'submit' && route !== undefined && taken !== undefined) {
    const places = maxOpenOf(taken.route);
    if (!occupancy.tryTake(response, route, places)) return { type: 'tooLate' };
  }
  try {
    await context.write(status);
    const attributes = {
      'interlock.response.name': response.metadata.name,
      'interlock.response.uid': response.metadata.uid ?? '',
      'interlock.attempt.mode': mode,
      'interlock.provider': provider,
      'interlock.repository': route?.repository ?? '',
    };
    const traceparent = event?.spec.traceparent;
    return await continueTrace(tracer, traceparent, 'respond', attributes, async (span) => {
      const seconds = stopwatch(manager.clock);
      const refused: string[] = [];
      const result = await resultOf(responder, observed, mode, context, (what) => refused.push(what));
      const outcome = outcomeOf(result);
      span.setAttribute('interlock.attempt.outcome', outcome);
      if (result.type === 'failed')
        context.log.warn({ error: messageOf(result.error), mode }, 'the attempt failed');
      if (mode === 'submit') metrics.attempted(provider, outcome, seconds());
      return { type: 'attempted', mode, result, refused };
    });
  } finally {
    /* The proposal is recorded before anything is sent, so the status holds the place from here on. */
    occupancy.release(context.object);
    duplicates.release(context.object);
  }
}

/** @param onWarning receives problems that do not prevent the proposal. */
async function resultOf(
  responder: Responder,
  observed: Observed,
  mode: AttemptMode,
  context: ActContext<EventResponse>,
  onWarning: (note: string) => void,
): Promise<AttemptResult> {
  const { manager, cluster, planner } = responder;
  const { event, config } = observed;
  const taken = config?.routing.taken;
  /* The response with the status that was written before the attempt. */
  const response = context.object;
  const { route: recorded, changeRequest } = response.status ?? {};
  const isHere = mode === 'submit' || mode === 'plan';
  if ((isHere ? taken?.route.provider.kind : recorded?.provider) === 'noop')
    return recordedResult(responder, observed, mode, response);
  const record = recorderOf(responder, context);
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
      branch,
      repository,
      planner,
      signal: limited,
      wasRemoved: (target, digest) => wasRemoved(responder, response, target, digest),
      gateNow: () => gateNow(responder, taken),
      gateHold: () => gateHoldNow(responder, taken),
      holdOf: (plan) => claimChange(responder, response, taken, plan),
      onPlanned: (plan) =>
        record((current, builder) => {
          stopIfCancelled(current);
          return begin(builder, plan, branch);
        }),
      onOpened: (request) => record((_, builder) => builder.request(request).set({ stage: 'Submitted' })),
      onWarning,
    });
  };
  try {
    return await withTimeLimit(manager.clock, longestAttemptMs, context.signal, attempt);
  } catch (error) {
    context.signal.throwIfAborted();
    const uncertain = context.object.status?.changeRequest?.branch !== undefined;
    return { type: 'failed', error, uncertain };
  }
}

type Next = (current: EventResponse, builder: StatusBuilder) => StatusBuilder;

/** Returns the function that stores a status during an attempt. */
function recorderOf(
  { manager }: Responder,
  context: ActContext<EventResponse>,
): (next: Next) => Promise<void> {
  return async (next) => {
    const now = manager.clock.now();
    await context.record((current) => next(current, new StatusBuilder(current, now)).build());
  };
}

/** Records that a branch may exist from now on. */
function begin(builder: StatusBuilder, plan: ChangePlan, branch: string): StatusBuilder {
  return builder
    .plan(plan)
    .condition('planned', 'True', 'Planned', `files to change: ${plan.files.length}`)
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

function gateNow({ gates, manager }: Responder, taken: TakenRoute | undefined): ProposalFacts['gate'] {
  return taken && gates.viewOf(taken.route, manager.clock.now());
}

/** Returns why the gate of the route holds the change at this moment: it may have closed during the attempt. */
function gateHoldNow({ gates, manager }: Responder, taken: TakenRoute | undefined): Hold | undefined {
  return taken && gateHoldOf(taken.route, gates.of(taken.route, manager.clock.now()));
}

/** Returns why a change is not proposed now; without a reason, records that the response proposes it. */
function claimChange(
  { duplicates, manager }: Responder,
  response: EventResponse,
  taken: TakenRoute | undefined,
  { digest }: ChangePlan,
): Hold | undefined {
  const { route } = response.status ?? {};
  if (route === undefined || taken === undefined) return undefined;
  const hold = duplicates.holdOf(response, route, digest, coolDownOf(taken.route), manager.clock.now());
  if (hold === undefined) duplicates.take(response, route, digest);
  return hold;
}

/** Handles provider `noop`: records the proposal, and does not call a server. */
async function recordedResult(
  responder: Responder,
  observed: Observed,
  mode: AttemptMode,
  response: EventResponse,
): Promise<AttemptResult> {
  const { cluster, planner } = responder;
  const { event, config } = observed;
  const taken = config?.routing.taken;
  if (taken === undefined || mode === 'find' || mode === 'leave') return { type: 'absent' };
  const result = await recordProposal(
    { ...taken, event, response, cluster, gate: gateNow(responder, taken) },
    planner,
  );
  if (mode === 'submit' || result.type !== 'submitted' || result.plan === undefined) return result;
  return { type: 'planned', plan: result.plan };
}

/** Returns the repository of the chosen route, or else the repository to which the response was routed earlier. */
async function repositoryOf(
  { repositories }: Responder,
  taken: TakenRoute | undefined,
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

/** Stops a cancelled attempt. @throws TypedError that ends the attempt. */
function stopIfCancelled({ status }: EventResponse): void {
  if (status?.phase === 'Cancelled' || status?.cancelReason !== undefined) {
    throw new TypedError('Conflict', 'the response was cancelled in the meantime', { reason: 'Cancelled' });
  }
}
