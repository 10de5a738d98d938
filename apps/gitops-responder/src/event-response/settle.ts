import { timestampOf, type EventResponse, type EventResponseStatus } from '@interlock/api';
import type { ChangePlan } from '../change/plan.js';
import type { AttemptMode, AttemptResult, ChangeRequest, SeenRequest } from './observed.js';
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
  if (result.type === 'failed') return failed(attempt, result.error, now, random);
  const builder = new StatusBuilder(response, now);
  if (isCancelled(response)) {
    if ('request' in result) builder.request(result.request);
    return { status: builder.cancelled(response.status?.cancelReason ?? cancelledText).build() };
  }
  switch (result.type) {
    case 'submitted':
      return { status: submitted(builder, result) };
    case 'nothingToChange': {
      const message = 'the repository is as it should be';
      builder
        .plan(result.plan)
        .condition('planned', 'True', 'NothingToChange', message)
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
    case 'foreignCommits':
      builder.failed({
        type: 'Conflicting',
        reason: 'ForeignCommits',
        detail: `branch ${result.branch} has commits of somebody else`,
      });
      break;
    case 'absent': {
      const detail = `${response.status?.attempts ?? 0} attempts: the last one was interrupted`;
      builder.failed({ type: 'Transient', reason: 'AttemptsExhausted', detail });
    }
  }
  return { status: builder.build() };
}

function isCancelled({ status }: EventResponse): boolean {
  return status?.phase === 'Cancelled' || status?.cancelReason !== undefined;
}

/** The attempt did not get to act: it does not count. */
function planned(builder: StatusBuilder, { response }: Attempt, plan: ChangePlan): void {
  const message = `${plan.files.length} files would change`;
  builder
    .plan(plan)
    .condition('planned', 'True', 'Planned', message)
    .set({ stage: 'AwaitingGate', attempts: Math.max(0, (response.status?.attempts ?? 0) - 1) })
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

/** To look for a pull request is tried until it is known whether there is one; only what nobody can repair ends it. */
function failed(attempt: Attempt, thrown: unknown, now: number, random: number): Settlement {
  const { response, mode, maxAttempts } = attempt;
  const builder = new StatusBuilder(response, now);
  const { error, retry, retryAfterMs } = failureOf(thrown);
  const { retryPolicy } = response.spec;
  const attempts = response.status?.attempts ?? 1;
  const isLast = mode !== 'find' && attempts >= maxAttemptsOf(response, maxAttempts);
  if (retry === 'never' && isCancelled(response))
    return {
      status: builder
        .cancelled(`${response.status?.cancelReason ?? cancelledText}: ${error.detail ?? ''}`)
        .build(),
    };
  if (retry === 'never' || isLast) return { status: builder.failed(error).build() };
  const backoff = backoffMs(retryPolicy, attempts, random, retryAfterMs);
  const delay = retry === 'late' ? Math.max(backoff, maxDelayOf(retryPolicy)) : backoff;
  if (mode === 'find') return { status: builder.set({ error }).build(), requeueAfterMs: delay };
  const at = Math.ceil((now + delay) / 1000) * 1000;
  builder
    .set({ phase: 'Running', error, nextAttemptAt: timestampOf(at) })
    .reconciling(error.reason ?? error.type, `${error.detail ?? ''}; next attempt at ${timestampOf(at)}`);
  return { status: builder.build(), requeueAfterMs: at - now };
}

/** @returns the status after a look at the pull request of a response that succeeded. Pure. */
export function follow(response: EventResponse, request: SeenRequest, now: number): EventResponseStatus {
  return seen(new StatusBuilder(response, now), request).build();
}

/** @returns the status after the pull request of a cancelled response was closed. Pure. */
export function closed(response: EventResponse, request: ChangeRequest, now: number): EventResponseStatus {
  const reason = response.status?.cancelReason ?? cancelledText;
  return new StatusBuilder(response, now)
    .set({ changeRequest: { ...request, state: 'closed' }, stage: 'Superseded' })
    .cancelled(reason)
    .build();
}
