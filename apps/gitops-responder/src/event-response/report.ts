import {
  conditions as conditionTypes,
  type Condition,
  type EventResponse,
  type EventResponseStatus,
} from '@interlock/api';
import { getCondition, type EventRecorder } from '@interlock/kube';
import type { ResponderMetrics } from '../metrics.js';

/** Conditions whose changes people are told of; the others repeat them. */
const told: readonly string[] = [
  conditionTypes.routed,
  conditionTypes.planned,
  conditionTypes.submitted,
  conditionTypes.merged,
  conditionTypes.followed,
  conditionTypes.stalled,
];

/** Tells what a status that was written changes: Events on the response, and metrics. */
export function report(
  response: EventResponse,
  before: EventResponseStatus | undefined,
  after: EventResponseStatus,
  { events, metrics }: { events: Pick<EventRecorder, 'recordTransitions'>; metrics: ResponderMetrics },
  now: number,
): void {
  const visible = (status: EventResponseStatus | undefined): Condition[] =>
    (status?.conditions ?? []).filter(({ type }) => told.includes(type));
  events.recordTransitions(response, 'Respond', visible(before), visible(after), typeOf);
  const provider = after.route?.provider ?? 'none';
  const isMiss = (status: EventResponseStatus | undefined): boolean =>
    getCondition(status?.conditions, conditionTypes.routed)?.reason === 'NoRoute';
  if (isMiss(after) && !isMiss(before)) metrics.routingMissed();
  if (after.completedAt !== undefined && before?.completedAt === undefined) {
    metrics.dispatched(
      provider,
      after.phase === 'Cancelled' ? 'Cancelled' : (after.outcome?.type ?? 'Errored'),
    );
  }
  if (after.stage === 'Merged' && before?.stage !== 'Merged' && before?.completedAt !== undefined) {
    metrics.merged(provider, Math.max(0, (now - Date.parse(before.completedAt)) / 1000));
  }
}

/** Nothing is wrong while a response waits for these. */
const waiting: ReadonlySet<string> = new Set([
  'AwaitingGate',
  'GateClosed',
  'DuplicateOpen',
  'CoolDown',
  'NothingToChange',
]);

function typeOf({ type, status, reason }: Condition): 'Normal' | 'Warning' {
  if (type === conditionTypes.stalled) return status === 'True' ? 'Warning' : 'Normal';
  const isWaiting = waiting.has(reason);
  return status === 'True' || isWaiting ? 'Normal' : 'Warning';
}
