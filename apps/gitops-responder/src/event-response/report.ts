import { conditions as conditionTypes, type EventResponseStatus } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { ResponderMetrics } from '../metrics.js';

/** The conditions whose changes become events; the other conditions repeat them. */
export const announcedConditions: readonly string[] = [
  conditionTypes.routed,
  conditionTypes.planned,
  conditionTypes.submitted,
  conditionTypes.merged,
  conditionTypes.followed,
  conditionTypes.decorated,
  conditionTypes.cleanedUp,
  conditionTypes.stalled,
];

/** The reasons of Routed for which a configuration has no route for a response. */
const missReasons: readonly string[] = ['NoRoute', 'TooManySteps'];

/** Counts the changes of a written status; `now` in milliseconds since the epoch. */
export function countResponseChanges(
  metrics: ResponderMetrics,
  before: EventResponseStatus | undefined,
  after: EventResponseStatus,
  now: number,
): void {
  const provider = after.route?.provider ?? 'none';
  const isMiss = (status: EventResponseStatus | undefined): boolean =>
    missReasons.includes(getCondition(status?.conditions, conditionTypes.routed)?.reason ?? '');
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
