import { isTyped, timestampOf, type EventResponse, type EventResponseStatus } from '@interlock/api';
import type { ChangePlan } from '@interlock/responding';
import type { AttemptMode, AttemptResult, Hold, SeenRequest } from './observed.js';
import { attemptDelayMs, failureOf, maxAttemptsOf, maxDelayOf } from './retry.js';
import { cancelledText, StatusBuilder } from './status.js';
import { isFirstSearch, isUncertain, notFoundReason, searchAgainMs } from './uncertain.js';

export interface Settlement {
  status: EventResponseStatus;
  /** When to decide again; absent if a watched object triggers it, or if the pull request is followed. */
  requeueAfterMs?: number;
}

interface Attempt {
  /** The response with the status that was written before the attempt. */
  response: EventResponse;
  mode: AttemptMode;
  result: AttemptResult;
  /** --max-attempts */
  maxAttempts: number;
}

/**
 * Returns the status after an attempt. Pure.
 * @param now in milliseconds since the epoch.
 * @param random in [0, 1).
 */
export function settle(attempt: Attempt, now: number, random: number): Settlement {
  const { response, result } = attempt;
  if (result.type === 'failed') return failed(attempt, result, now, random);
  const builder = new StatusBuilder(response, now);
  if (result.type === 'absent') {
    if (isFirstSearch(response.status)) return searchAgain(builder, response, now);
    if (isUncertain(response.status))
      builder.condition('submitted', 'False', 'Absent', 'there is no pull request');
  }
  if (isCancelled(response)) {
    if (!('request' in result)) return { status: builder.cancelled(reasonOf(response)).build() };
    const { request } = result;
    if (request.state !== 'open') return { status: closed(response, request, now) };
    return { status: builder.request(request).cancelled(reasonOf(response)).build() };
  }
  switch (result.type) {
    case 'submitted':
      submitted(builder, result);
      break;
    case 'nothingToChange':
      nothingToChange(builder, result.plan);
      break;
    case 'planned':
      held(builder, attempt, result.plan, { reason: 'AwaitingGate', message: wouldChange(result.plan) });
      break;
    case 'held':
      held(builder, attempt, result.plan, result.hold);
      break;
    case 'settled':
      seen(builder, result.request);
      break;
    case 'foreignCommits': {
      const detail = `branch ${result.branch} has commits that Interlock did not make`;
      builder
        .condition('submitted', 'False', 'ForeignCommits', detail)
        .failed({ type: 'Conflicting', reason: 'ForeignCommits', detail });
      break;
    }
    case 'absent': {
      if (attempt.mode === 'leave') return { status: left(builder), requeueAfterMs: 0 };
      const { error, attempts = 0 } = response.status ?? {};
      const detail = `${attempts} attempts: the last one was interrupted`;
      builder
        .condition('submitted', 'False', 'Absent', 'there is no pull request')
        .failed(error ?? { type: 'Transient', reason: 'AttemptsExhausted', detail });
    }
  }
  return { status: builder.build() };
}

/** Settles a search for a pull request that may be open, whose result may be outdated. */
function searchAgain(builder: StatusBuilder, response: EventResponse, now: number): Settlement {
  const at = nextAt(now + searchAgainMs);
  const message = `no pull request was found, although one may be open; it is searched for again at ${timestampOf(at)}`;
  if (isCancelled(response)) builder.set({ phase: 'Cancelled' });
  builder
    .set({ nextAttemptAt: timestampOf(at) })
    .condition('submitted', 'Unknown', notFoundReason, message)
    .reconciling(notFoundReason, message);
  return { status: builder.build(), requeueAfterMs: at - now };
}

/** The minimum time between two checks of whether the operator has corrected what an attempt waits for. */
const minWaitMs = 60_000;

/** The minimum time between two lookups of a pull request, or after a rate limit, even with the strategy None. */
const minPollMs = 5_000;

type Failed = AttemptResult & { type: 'failed' };

function isCancelled({ status }: EventResponse): boolean {
  return status?.phase === 'Cancelled' || status?.cancelReason !== undefined;
}

function reasonOf({ status }: EventResponse): string {
  return status?.cancelReason ?? cancelledText;
}

function nothingToChange(builder: StatusBuilder, plan: ChangePlan): void {
  const message = 'the repository already has the desired content';
  builder
    .plan(plan)
    .condition('planned', 'True', 'NothingToChange', message)
    .condition('submitted', 'False', 'NothingToChange', message)
    .set({ stage: 'Planned', outcome: { type: 'NoActionNeeded', message } })
    .succeeded('NothingToChange', message);
}

/** Settles an attempt that could not act and does not count. */
function held(builder: StatusBuilder, { response }: Attempt, plan: ChangePlan, hold: Hold): void {
  const { reason, message } = hold;
  builder
    .plan(plan)
    .condition('planned', 'True', 'Planned', wouldChange(plan))
    .set({ stage: 'AwaitingGate', attempts: Math.max(0, (response.status?.attempts ?? 0) - 1) })
    .condition('submitted', 'False', reason, message)
    .clear('error')
    .reconciling(reason, message);
}

function wouldChange({ files }: ChangePlan): string {
  return `files that would change: ${files.length}`;
}

function submitted(
  builder: StatusBuilder,
  { request, plan, recorded = false }: AttemptResult & { type: 'submitted' },
): StatusBuilder {
  if (plan !== undefined)
    builder.plan(plan).condition('planned', 'True', 'Planned', `files to change: ${plan.files.length}`);
  const message = recorded
    ? 'the pull request is recorded in status.changeRequest only'
    : `the pull request is ${request.url ?? request.number ?? 'open'}`;
  return builder
    .request(request)
    .without('merged')
    .set({ stage: 'Submitted', outcome: { type: recorded ? 'Skipped' : 'ActionTaken', message } })
    .condition('submitted', 'True', recorded ? 'Recorded' : 'Submitted', message)
    .succeeded(recorded ? 'Recorded' : 'Submitted', message);
}

/** Settles the state of a pull request: a merged one is adopted, and one that a user closed is never opened again. */
export function seen(builder: StatusBuilder, request: SeenRequest): StatusBuilder {
  const url = request.url ?? `pull request ${request.number ?? ''}`;
  if (request.state === 'open') return submitted(builder, { type: 'submitted', request });
  builder.request(request);
  if (request.state === 'merged')
    return builder
      .set({ stage: 'Merged', outcome: { type: 'ActionTaken', message: `${url} is merged` } })
      .condition('submitted', 'True', 'Submitted', url)
      .condition('merged', 'True', 'Merged', request.mergedSHA ?? url)
      .succeeded('Merged', `${url} is merged`);
  return rejected(builder, 'Rejected', `${url} was closed without being merged`);
}

/** Settles a pull request that a user closed or deleted. */
export function rejected(builder: StatusBuilder, reason: string, detail: string): StatusBuilder {
  return builder
    .set({ stage: 'Rejected' })
    .condition('merged', 'False', reason, detail)
    .failed({ type: 'Conflicting', reason, detail });
}

function failed(attempt: Attempt, result: Failed, now: number, random: number): Settlement {
  const { response, mode, maxAttempts } = attempt;
  const builder = new StatusBuilder(response, now);
  const { error, retry, retryAfterMs } = failureOf(result.error);
  const { retryPolicy } = response.spec;
  const attempts = response.status?.attempts ?? 1;
  const backoff = attemptDelayMs(retryPolicy, attempts, random, retryAfterMs);
  const isWaiting = retry === 'waiting';
  const isLimited = retry === 'limited';
  const least = isWaiting ? Math.max(maxDelayOf(retryPolicy), minWaitMs) : isLimited ? minPollMs : 0;
  const delay = Math.max(backoff, least);
  const isCheck = mode === 'find' || mode === 'leave';
  const isSure = isCheck ? isTyped(result.error, 'Permanent') : !result.uncertain;
  const { reason = error.type, detail = '' } = error;
  if (isSure) builder.condition('submitted', 'False', reason, detail);
  else
    builder.condition(
      'submitted',
      'Unknown',
      reason,
      `it is unknown whether a pull request exists: ${detail}`,
    );
  if (isSure && isCancelled(response)) return { status: builder.cancelled(reasonOf(response)).build() };
  if (mode === 'leave' && isSure) return { status: left(builder), requeueAfterMs: 0 };
  const isLast = retry === 'never' || (retry === 'soon' && attempts >= maxAttemptsOf(response, maxAttempts));
  if (isSure && (isLast || mode === 'find')) return { status: builder.failed(error).build() };
  const wait = isCheck ? Math.max(delay, minPollMs) : isLast ? 0 : delay;
  const at = nextAt(now + wait);
  if (!isCancelled(response)) builder.set({ phase: 'Running' });
  if ((isWaiting || isLimited) && !isCheck) builder.set({ attempts: Math.max(0, attempts - 1) });
  if (isWaiting && !isCheck)
    builder.set({ waitingFor: error.type === 'Unauthorized' ? 'Credential' : 'Configuration' });
  builder
    .set({ error, nextAttemptAt: timestampOf(at) })
    .reconciling(reason, `${detail}; next attempt at ${timestampOf(at)}`);
  return { status: builder.build(), requeueAfterMs: at - now };
}

/** Settles a response that has to be routed again. */
function left(builder: StatusBuilder): EventResponseStatus {
  return builder
    .clear('route', 'changeRequest', 'plan', 'nextAttemptAt', 'waitingFor')
    .reconciling('Rerouted', 'nothing is left in the repository of the earlier route')
    .build();
}

/**
 * Returns the status of a cancelled response after its pull request was closed. Pure.
 * @param request after the request to close it: a user may have merged it before.
 */
export function closed(response: EventResponse, request: SeenRequest, now: number): EventResponseStatus {
  return new StatusBuilder(response, now)
    .request(request)
    .set({ stage: request.state === 'merged' ? 'Merged' : 'Superseded' })
    .clear('error')
    .cancelled(reasonOf(response))
    .build();
}

/**
 * Returns the status of a cancelled response whose pull request could not be closed; closing is retried until it succeeds.
 * Pure.
 * @param random in [0, 1).
 */
export function notClosed(
  response: EventResponse,
  cause: unknown,
  now: number,
  random: number,
): Required<Settlement> {
  const { error, retry, retryAfterMs } = failureOf(cause);
  const { spec, status } = response;
  const backoff = attemptDelayMs(spec.retryPolicy, status?.attempts ?? 1, random, retryAfterMs);
  const wait = Math.max(backoff, minPollMs, retry === 'soon' ? 0 : maxDelayOf(spec.retryPolicy));
  const next = nextAt(now + wait);
  const message = `pull request ${status?.changeRequest?.number ?? ''} could not be closed: ${error.detail ?? ''}`;
  const built = new StatusBuilder(response, now)
    .set({ phase: 'Cancelled', error, lastAttemptAt: timestampOf(now), nextAttemptAt: timestampOf(next) })
    .reconciling('Closing', message)
    .build();
  return { status: built, requeueAfterMs: next - now };
}

/** Returns a timestamp in whole seconds, not before the given time. */
function nextAt(time: number): number {
  return Math.ceil(time / 1000) * 1000;
}
