import { isTyped, timestampOf, type EventResponse, type EventResponseStatus } from '@interlock/api';
import type { ChangePlan } from '@interlock/responding';
import type { AttemptMode, AttemptResult, SeenRequest } from './observed.js';
import { backoffMs, failureOf, maxAttemptsOf, maxDelayOf } from './retry.js';
import { cancelledText, StatusBuilder } from './status.js';

export interface Settlement {
  status: EventResponseStatus;
  /** When to decide again; absent: when something that is watched changes, or to follow the pull request. */
  requeueAfterMs?: number;
}

export interface Attempt {
  /** With the status that was written before the attempt. */
  response: EventResponse;
  mode: AttemptMode;
  result: AttemptResult;
  /** --max-attempts */
  maxAttempts: number;
}

/**
 * @param now in milliseconds since the epoch.
 * @param random in [0, 1).
 * @returns the status after an attempt. Pure.
 */
export function settle(attempt: Attempt, now: number, random: number): Settlement {
  const { response, result } = attempt;
  if (result.type === 'failed') return failed(attempt, result, now, random);
  const builder = new StatusBuilder(response, now);
  if (isCancelled(response)) {
    if ('request' in result) builder.request(result.request);
    return { status: builder.cancelled(reasonOf(response)).build() };
  }
  switch (result.type) {
    case 'submitted':
      return { status: submitted(builder, result) };
    case 'nothingToChange': {
      const message = 'the repository is as it should be';
      builder
        .plan(result.plan)
        .condition('planned', 'True', 'NothingToChange', message)
        .condition('submitted', 'False', 'NothingToChange', message)
        .set({ stage: 'Planned', outcome: { type: 'NoActionNeeded', message } })
        .succeeded('NothingToChange', message);
      break;
    }
    case 'planned':
      planned(builder, attempt, result.plan);
      break;
    case 'settled':
      seen(builder, result.request);
      break;
    case 'foreignCommits': {
      const detail = `branch ${result.branch} has commits of somebody else`;
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

/** With the strategy None, too, it is not looked for a pull request all the time. */
const minLookMs = 5_000;

type Failed = AttemptResult & { type: 'failed' };

function isCancelled({ status }: EventResponse): boolean {
  return status?.phase === 'Cancelled' || status?.cancelReason !== undefined;
}

function reasonOf({ status }: EventResponse): string {
  return status?.cancelReason ?? cancelledText;
}

/** The attempt did not get to act: it does not count. */
function planned(builder: StatusBuilder, { response }: Attempt, plan: ChangePlan): void {
  const message = `${plan.files.length} files would change`;
  builder
    .plan(plan)
    .condition('planned', 'True', 'Planned', message)
    .set({ stage: 'AwaitingGate', attempts: Math.max(0, (response.status?.attempts ?? 0) - 1) })
    .condition('submitted', 'False', 'AwaitingGate', message)
    .clear('error')
    .reconciling('AwaitingGate', message);
}

function submitted(
  builder: StatusBuilder,
  { request, plan, recorded = false }: AttemptResult & { type: 'submitted' },
): EventResponseStatus {
  if (plan !== undefined)
    builder.plan(plan).condition('planned', 'True', 'Planned', `${plan.files.length} files change`);
  const message = recorded
    ? 'the pull request is recorded in status.changeRequest only'
    : `the pull request is ${request.url ?? request.number ?? 'open'}`;
  return builder
    .request(request)
    .set({ stage: 'Submitted', outcome: { type: recorded ? 'Skipped' : 'ActionTaken', message } })
    .condition('submitted', 'True', recorded ? 'Recorded' : 'Submitted', message)
    .succeeded(recorded ? 'Recorded' : 'Submitted', message)
    .build();
}

/** What became of a pull request: merged ones are adopted, those that somebody closed are never opened again. */
function seen(builder: StatusBuilder, request: SeenRequest): StatusBuilder {
  const url = request.url ?? `pull request ${request.number ?? ''}`;
  builder.request(request);
  if (request.state === 'open') return builder;
  if (request.state === 'merged')
    return builder
      .set({ stage: 'Merged', outcome: { type: 'ActionTaken', message: `${url} is merged` } })
      .condition('submitted', 'True', 'Submitted', url)
      .condition('merged', 'True', 'Merged', request.mergedSHA ?? url)
      .succeeded('Merged', `${url} is merged`);
  const detail = `${url} was closed without being merged`;
  return builder
    .set({ stage: 'Rejected' })
    .condition('merged', 'False', 'Rejected', detail)
    .failed({ type: 'Conflicting', reason: 'Rejected', detail });
}

function failed(attempt: Attempt, result: Failed, now: number, random: number): Settlement {
  const { response, mode, maxAttempts } = attempt;
  const builder = new StatusBuilder(response, now);
  const { error, retry, retryAfterMs } = failureOf(result.error);
  const { retryPolicy } = response.spec;
  const attempts = response.status?.attempts ?? 1;
  const backoff = backoffMs(retryPolicy, attempts, random, retryAfterMs);
  const delay = retry === 'late' ? Math.max(backoff, maxDelayOf(retryPolicy)) : backoff;
  const isSure =
    mode === 'find' || mode === 'leave' ? isTyped(result.error, 'NotFound', 'Permanent') : !result.uncertain;
  const { reason = error.type, detail = '' } = error;
  if (isSure) builder.condition('submitted', 'False', reason, detail);
  else
    builder.condition(
      'submitted',
      'Unknown',
      reason,
      `whether there is a pull request is not known: ${detail}`,
    );
  if (mode === 'leave' && isSure) return { status: left(builder), requeueAfterMs: 0 };
  const isLast = retry === 'never' || attempts >= maxAttemptsOf(response, maxAttempts);
  if (isSure && isCancelled(response)) return { status: builder.cancelled(reasonOf(response)).build() };
  if (isSure && (isLast || mode === 'find')) return { status: builder.failed(error).build() };
  const wait =
    isLast && mode !== 'find' && mode !== 'leave' ? 0 : Math.max(delay, mode === 'find' ? minLookMs : 0);
  const at = Math.ceil((now + wait) / 1000) * 1000;
  if (!isCancelled(response)) builder.set({ phase: 'Running' });
  builder
    .set({ error, nextAttemptAt: timestampOf(at) })
    .reconciling(reason, `${detail}; next attempt at ${timestampOf(at)}`);
  return { status: builder.build(), requeueAfterMs: at - now };
}

/** The response is to be routed anew. */
function left(builder: StatusBuilder): EventResponseStatus {
  return builder
    .clear('route', 'changeRequest', 'plan', 'nextAttemptAt')
    .reconciling('Rerouted', 'another route matches now')
    .build();
}

/** @returns the status after a look at the pull request of a response that succeeded. Pure. */
export function follow(response: EventResponse, request: SeenRequest, now: number): EventResponseStatus {
  return seen(new StatusBuilder(response, now), request).build();
}

/**
 * @param request as it is after it was to be closed: somebody may have merged it before.
 * @returns the status of a cancelled response after its pull request was closed. Pure.
 */
export function closed(response: EventResponse, request: SeenRequest, now: number): EventResponseStatus {
  return new StatusBuilder(response, now)
    .request(request)
    .set({ stage: request.state === 'merged' ? 'Merged' : 'Superseded' })
    .cancelled(reasonOf(response))
    .build();
}
