import { conditions, timestampOf, type EventResponseStatus, type ResponseRoute } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import { isSameRepository } from '../config/repositories.js';
import { isClaimed, isFinal } from './claim.js';
import type { Decision, Observed } from './observed.js';
import { maxAttemptsOf } from './retry.js';
import { cancelledText, StatusBuilder } from './status.js';

/** How often the number of open pull requests is counted again. */
const recountMs = 60_000;

/** @returns what is to be done about a response. Pure; `now` in milliseconds since the epoch. */
export function decide(observed: Observed, now: number): Decision {
  const { response, responderName } = observed;
  if (!isClaimed(response, responderName)) return { type: 'none' };
  const { status } = response;
  const isOpen = status?.changeRequest?.state === 'open' && status.changeRequest.number !== undefined;
  if (status?.phase === 'Cancelled' || (status?.cancelReason !== undefined && !isFinal(response)))
    return cancel(observed, isOpen, now);
  if (isFinal(response))
    return isOpen ? { type: 'follow', everyMs: observed.followEveryMs } : { type: 'none' };
  if (isOpen) {
    const requeueAfterMs = leftOf(status, now);
    return requeueAfterMs > 0
      ? { type: 'wait', status, requeueAfterMs }
      : { type: 'attempt', mode: 'find', status };
  }
  if (status?.providerRef !== undefined) return { type: 'finish', status: adopted(observed, now) };
  return decideAttempt(observed, now);
}

/**
 * Stops, and takes the pull request back; that of an attempt that was interrupted, or failed, has to be
 * looked for.
 */
function cancel({ response }: Observed, isOpen: boolean, now: number): Decision {
  const { status } = response;
  const builder = new StatusBuilder(response, now).cancelled(status?.cancelReason ?? cancelledText);
  if (isOpen) return { type: 'close', status: builder.build() };
  const isKnown = status?.changeRequest?.state !== undefined || status?.completedAt !== undefined;
  if (status?.lastAttemptAt !== undefined && !isKnown) {
    const left = status.phase === 'Cancelled' ? leftOf(status, now) : 0;
    if (left > 0) return { type: 'wait', status, requeueAfterMs: left };
    return { type: 'attempt', mode: 'find', status: builder.clear('completedAt').build() };
  }
  if (status?.phase === 'Cancelled' && status.completedAt !== undefined) return { type: 'none' };
  return { type: 'finish', status: builder.build() };
}

/** Somebody else has opened a pull request, and written its address down. */
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
  const left = leftOf(status, now);
  if (left > 0 && !hasNewCredentials(observed))
    return { type: 'wait', status: status ?? {}, requeueAfterMs: left };
  const isLast =
    attempts >= maxAttemptsOf(response, observed.maxAttempts) || status?.error?.type === 'Permanent';
  if (isLast && status !== undefined && (isInterrupted(status) || isUncertain(status)))
    return { type: 'attempt', mode: 'find', status };
  if (isLast) return exhausted(observed, now);
  if (observed.missingEvent !== undefined || config === undefined || taken === undefined)
    return unrouted(observed, now);
  if (hasLeft(status, taken.route)) return { type: 'attempt', mode: 'leave', status: status ?? {} };
  const hold = holdOf(observed, taken.route);
  if (hold !== undefined && status?.plan !== undefined && !isInterrupted(status) && !isUncertain(status))
    return held(observed, taken, hold, now);
  const begun = routed(observed, taken, now)
    .set({
      phase: 'Running',
      attempts: attempts + 1,
      startedAt: status?.startedAt ?? timestampOf(now),
      lastAttemptAt: timestampOf(now),
    })
    .clear('nextAttemptAt')
    .reconciling('Attempting', `attempt ${attempts + 1}`);
  if (status?.stage === undefined || status.stage === 'AwaitingGate') begun.set({ stage: 'Routed' });
  return { type: 'attempt', mode: hold === undefined ? 'submit' : 'plan', status: begun.build() };
}

/** Milliseconds until the next attempt. */
function leftOf(status: EventResponseStatus | undefined, now: number): number {
  const left = Date.parse(status?.nextAttemptAt ?? '') - now;
  return left > 0 ? left : 0;
}

/** An attempt that ended says when the next one is, or what it waits for, or is final. */
export function isInterrupted(status: EventResponseStatus): boolean {
  return (
    status.lastAttemptAt !== undefined &&
    status.completedAt === undefined &&
    status.nextAttemptAt === undefined &&
    status.stage !== 'AwaitingGate'
  );
}

/** A pull request may be open that the status does not know of. */
function isUncertain({ conditions: known }: EventResponseStatus): boolean {
  return getCondition(known, conditions.submitted)?.status === 'Unknown';
}

/** Something may have been made in the repository to which the response was routed before. */
function hasLeft(status: EventResponseStatus | undefined, { provider }: ResponseRoute): boolean {
  if (status?.route === undefined || status.changeRequest?.branch === undefined) return false;
  return !isSameRepository(status.route, provider);
}

/** After 401 and 403 the next attempt is late; new credentials are a reason not to wait for it. */
function hasNewCredentials({ response: { status }, credentialsChangedAt }: Observed): boolean {
  if (status?.error?.type !== 'Unauthorized' || credentialsChangedAt === undefined) return false;
  return credentialsChangedAt > Date.parse(status.lastAttemptAt ?? '');
}

function unrouted({ response, config, missingEvent }: Observed, now: number): Decision {
  const [reason, message] =
    missingEvent !== undefined
      ? ['EventNotFound', missingEvent]
      : config === undefined
        ? ['NoConfiguration', 'there is no GitOpsResponderConfig that can be used']
        : ['NoRoute', `no route of ${config.name} matches; interlock respond explain shows why`];
  const status = new StatusBuilder(response, now)
    .set({ phase: response.status?.phase ?? 'Pending' })
    .condition('routed', 'False', reason, message)
    .reconciling(reason, message);
  return { type: 'wait', status: status.build() };
}

interface Taken {
  index: number;
  route: ResponseRoute;
}

function routed({ response, config }: Observed, { index, route }: Taken, now: number): StatusBuilder {
  const { kind: provider, host, repository, baseBranch } = route.provider;
  const name = config?.name ?? '';
  return new StatusBuilder(response, now)
    .set({ route: { index, config: name, provider, ...(host && { host }), repository, baseBranch } })
    .condition('routed', 'True', 'Routed', `route ${index} of ${name}: ${repository}`);
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

interface Hold {
  reason: string;
  message: string;
  requeueAfterMs?: number;
}

/** What forbids to open a pull request now; whatever a plan says, it can be made. */
function holdOf({ gate, openRequests = 0 }: Observed, route: ResponseRoute): Hold | undefined {
  if (route.gateRef !== undefined && route.onGateClosed !== 'Proceed' && gate?.open !== true) {
    const { name } = route.gateRef;
    const message =
      gate === undefined ? `gate ${name} is not found` : `gate ${name} is closed: ${gate.reason}`;
    return { reason: 'GateClosed', message };
  }
  const { maxOpenPRs } = route.limits ?? {};
  if (maxOpenPRs === undefined || openRequests < maxOpenPRs) return undefined;
  const message = `the route has ${openRequests} open pull requests; limits.maxOpenPRs is ${maxOpenPRs}`;
  return { reason: 'TooManyOpen', message, requeueAfterMs: recountMs };
}

function held(
  observed: Observed,
  taken: Taken,
  { reason, message, requeueAfterMs }: Hold,
  now: number,
): Decision {
  const status = routed(observed, taken, now)
    .set({ phase: 'Running', stage: 'AwaitingGate' })
    .condition('submitted', 'False', reason, message)
    .reconciling(reason, message);
  return { type: 'wait', status: status.build(), ...(requeueAfterMs !== undefined && { requeueAfterMs }) };
}
