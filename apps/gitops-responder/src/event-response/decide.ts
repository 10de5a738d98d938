import {
  conditions,
  timestampOf,
  type EventResponse,
  type EventResponseStatus,
  type ResponseRoute,
} from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { TakenRoute, UndecidedRoute } from '@interlock/responding';
import { recordedRoute } from '../config/recorded-route.js';
import { isSameRepository } from '../config/repositories.js';
import { isClaimed, isFinal, isOpen, isRejected } from './claim.js';
import { gateHoldOf } from './gate-hold.js';
import type { AttemptMode, Decision, Hold, Observed } from './observed.js';
import { maxOpenOf } from './limits.js';
import { retried } from './retry-request.js';
import { maxAttemptsOf } from './retry.js';
import { cancelledText, StatusBuilder } from './status.js';
import { isUncertain } from './uncertain.js';

/** How often, and for how long, a pull request that a user closed is read; a webhook is faster. */
const rejectedPollMs = 60 * 60_000;
const followRejectedMs = 30 * 24 * 60 * 60_000;
/** How often the open pull requests are counted again. */
const recountMs = 60_000;

/** Returns what is to be done about a response. Pure; `now` in milliseconds since the epoch. */
export function decide(observed: Observed, now: number): Decision {
  const { response, responderName } = observed;
  if (!isClaimed(response, responderName)) return { type: 'none' };
  const { status } = response;
  if (status?.phase === 'Cancelled' || (status?.cancelReason !== undefined && !isFinal(response)))
    return cancel(observed, now);
  const again = retried(response);
  if (again !== undefined) return decideAttempt({ ...observed, response: again }, now);
  if (isFinal(response)) return followed(observed, now);
  if (status !== undefined && isOpen(response)) {
    const requeueAfterMs = leftOf(observed, now);
    return requeueAfterMs > 0
      ? { type: 'wait', status, requeueAfterMs }
      : checkForRequest('find', response, new StatusBuilder(response, now), now);
  }
  if (status?.providerRef !== undefined) return { type: 'finish', status: adopted(observed, now) };
  return decideAttempt(observed, now);
}

/** Follows a closed pull request, which a user may reopen. */
function followed({ response, followEveryMs }: Observed, now: number): Decision {
  if (isOpen(response)) return { type: 'follow', everyMs: followEveryMs };
  const closedAt = getCondition(response.status?.conditions, conditions.merged)?.lastTransitionTime;
  if (!isRejected(response) || now - Date.parse(closedAt ?? '') > followRejectedMs) return { type: 'none' };
  return { type: 'follow', everyMs: Math.max(followEveryMs, rejectedPollMs) };
}

/**
 * Stops, closes the pull request and removes the branch. The pull request and the branch of an interrupted or failed attempt have
 * to be found first.
 */
function cancel(observed: Observed, now: number): Decision {
  const { response } = observed;
  const { status } = response;
  const left = status?.phase === 'Cancelled' ? leftOf(observed, now) : 0;
  const isUnknown = mayHaveRequest(status) && status?.completedAt === undefined;
  if (left > 0 && (isUnknown || isOpen(response)))
    return { type: 'wait', status: status ?? {}, requeueAfterMs: left };
  if (isOpen(response)) return { type: 'close' };
  const builder = new StatusBuilder(response, now).cancelled(status?.cancelReason ?? cancelledText);
  if (isUnknown) return checkForRequest('leave', response, builder.clear('completedAt'), now);
  return { type: 'finish', status: builder.build() };
}

/** Decides to make an attempt that does not count, although its time is recorded. */
function checkForRequest(
  mode: AttemptMode,
  { status: before = {} }: EventResponse,
  builder: StatusBuilder,
  now: number,
): Decision {
  if (mayHaveRequest(before) && isInterrupted(before) && !isUncertain(before)) {
    const message = 'it is unknown whether a pull request exists: the last attempt was interrupted';
    builder.condition('submitted', 'Unknown', 'Interrupted', message);
  }
  const status = builder
    .set({ lastAttemptAt: timestampOf(now) })
    .clear('nextAttemptAt', 'waitingFor')
    .build();
  return { type: 'attempt', mode, status };
}

/** Adopts a pull request that another process opened and recorded. */
function adopted({ response }: Observed, now: number): EventResponseStatus {
  const url = response.status?.providerRef ?? '';
  return new StatusBuilder(response, now)
    .set({
      stage: response.status?.stage === 'Merged' ? 'Merged' : 'Submitted',
      outcome: { type: 'ActionTaken', message: `the pull request is ${url}` },
    })
    .condition('submitted', 'True', 'Submitted', url)
    .succeeded('Submitted', `the pull request is ${url}`)
    .build();
}

function decideAttempt(observed: Observed, now: number): Decision {
  const { response, config } = observed;
  const { status } = response;
  const taken = config?.routing.taken;
  const attempts = status?.attempts ?? 0;
  const left = leftOf(observed, now);
  if (left > 0) return { type: 'wait', status: status ?? {}, requeueAfterMs: left };
  const isUnknown =
    status !== undefined && mayHaveRequest(status) && (isInterrupted(status) || isUncertain(status));
  const isLast =
    attempts >= maxAttemptsOf(response, observed.maxAttempts) || status?.error?.type === 'Permanent';
  if (isLast && isUnknown) return checkForRequest('find', response, new StatusBuilder(response, now), now);
  if (isLast) return exhausted(observed, now);
  const isRouted = observed.missingEvent === undefined && taken !== undefined;
  if (config !== undefined && (isRouted ? hasLeft(status, taken.route) : isUnknown))
    return checkForRequest('leave', response, new StatusBuilder(response, now), now);
  if (!isRouted) return unrouted(observed, now);
  const hold = holdOf(observed, taken.route);
  if (hold !== undefined && isPlanned(status, taken.route) && !isUnknown)
    return held(observed, taken, hold, now);
  const begun = routed(observed, taken, now)
    .set({
      phase: 'Running',
      attempts: attempts + 1,
      startedAt: status?.startedAt ?? timestampOf(now),
      lastAttemptAt: timestampOf(now),
    })
    .clear('nextAttemptAt', 'waitingFor')
    .reconciling('Attempting', `attempt ${attempts + 1}`);
  if (status?.stage === undefined || status.stage === 'AwaitingGate') begun.set({ stage: 'Routed' });
  /* A search that found nothing was made before this attempt, which may open a pull request. */
  if (isUncertain(status)) begun.without('submitted');
  return { type: 'attempt', mode: hold === undefined ? 'submit' : 'plan', status: begun.build() };
}

/** Milliseconds until the next attempt. */
function leftOf(observed: Observed, now: number): number {
  if (hasNewCredentials(observed) || hasNewConfiguration(observed)) return 0;
  const left = Date.parse(observed.response.status?.nextAttemptAt ?? '') - now;
  return left > 0 ? left : 0;
}

/**
 * Returns whether a pull request may exist: a branch is recorded before it is created, and a pull request as soon as it is seen.
 */
function mayHaveRequest(status: EventResponseStatus | undefined): boolean {
  return status?.changeRequest?.branch !== undefined && status.changeRequest.state === undefined;
}

/** Returns whether an attempt was interrupted: one that ended records the next attempt, what it waits for, or a final phase. */
function isInterrupted(status: EventResponseStatus): boolean {
  return (
    status.lastAttemptAt !== undefined &&
    status.completedAt === undefined &&
    status.nextAttemptAt === undefined &&
    status.stage !== 'AwaitingGate'
  );
}

/** Returns whether a branch or a pull request may exist for a target other than the target of the route. */
function hasLeft(status: EventResponseStatus | undefined, route: ResponseRoute): boolean {
  return status?.changeRequest?.branch !== undefined && !isSameTarget(status, route);
}

/** Returns whether there is a plan for the target of the route. */
function isPlanned(status: EventResponseStatus | undefined, route: ResponseRoute): boolean {
  return status?.plan !== undefined && isSameTarget(status, route);
}

function isSameTarget({ route }: EventResponseStatus, { provider }: ResponseRoute): boolean {
  if (route === undefined) return true;
  return isSameRepository(route, provider) && route.baseBranch === provider.baseBranch;
}

/**
 * Returns whether new credentials make the next attempt due at once: attempts after 401 and 403 are delayed. Times of
 * attempts are whole seconds: a change in the second of an attempt was present when it began.
 */
function hasNewCredentials({ response: { status }, credentialsChangedAt }: Observed): boolean {
  if (status?.error?.type !== 'Unauthorized' || credentialsChangedAt === undefined) return false;
  return Math.floor(credentialsChangedAt / 1000) * 1000 > Date.parse(status.lastAttemptAt ?? '');
}

/** Returns whether the configuration has changed, so that an attempt that waits for the operator is repeated. */
function hasNewConfiguration({ response: { status }, config }: Observed): boolean {
  if (status?.waitingFor === undefined || config === undefined) return false;
  return status.route?.config !== config.name || status.route.generation !== config.generation;
}

function unrouted({ response, config, configNamespace, missingEvent }: Observed, now: number): Decision {
  const [reason, message] =
    missingEvent !== undefined
      ? ['EventNotFound', missingEvent]
      : config === undefined
        ? [
            'NoConfiguration',
            `no valid GitOpsResponderConfig exists in namespace ${configNamespace}; create or correct one`,
          ]
        : config.routing.undecided !== undefined
          ? ['TooManySteps', undecidedText(config.name, config.routing.undecided)]
          : ['NoRoute', `no route of ${config.name} matches; interlock respond explain shows why`];
  const status = new StatusBuilder(response, now)
    .set({ phase: response.status?.phase ?? 'Pending' })
    .condition('routed', 'False', reason, message)
    .reconciling(reason, message);
  return { type: 'wait', status: status.build() };
}

function undecidedText(config: string, { index, reason }: UndecidedRoute): string {
  return `the expression of route ${index} of ${config} cannot be evaluated: ${reason}; no later route is taken; simplify match.expr of the route, or remove excess labels and other data from the event and the response`;
}

function routed({ response, config }: Observed, taken: TakenRoute, now: number): StatusBuilder {
  const route = recordedRoute(taken, config ?? { name: '', generation: 0 });
  const message = `route ${route.index} of ${route.config}: ${route.repository}`;
  return new StatusBuilder(response, now).set({ route }).condition('routed', 'True', 'Routed', message);
}

function exhausted({ response }: Observed, now: number): Decision {
  const { error, attempts = 0 } = response.status ?? {};
  const last = error ?? { type: 'Permanent' as const, reason: 'AttemptsExhausted' };
  const detail = `${attempts} attempts: ${last.detail ?? 'the last one was interrupted'}`;
  return {
    type: 'finish',
    status: new StatusBuilder(response, now).failed({ ...last, detail }).build(),
  };
}

function holdOf({ gate, duplicate, openRequests = 0 }: Observed, route: ResponseRoute): Hold | undefined {
  const closed = gateHoldOf(route, gate);
  if (closed !== undefined) return closed;
  if (duplicate !== undefined) return duplicate;
  const maxOpenPRs = maxOpenOf(route);
  if (openRequests < maxOpenPRs) return undefined;
  const message = `the route has ${openRequests} open pull requests; limits.maxOpenPRs is ${maxOpenPRs}`;
  return { reason: 'TooManyOpen', message, requeueAfterMs: recountMs };
}

function held(
  observed: Observed,
  taken: TakenRoute,
  { reason, message, requeueAfterMs }: Hold,
  now: number,
): Decision {
  const status = routed(observed, taken, now)
    .set({ phase: 'Running', stage: 'AwaitingGate' })
    .clear('nextAttemptAt', 'waitingFor')
    .condition('submitted', 'False', reason, message)
    .reconciling(reason, message);
  return { type: 'wait', status: status.build(), requeueAfterMs };
}
