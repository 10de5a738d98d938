import { conditions } from './names.js';
import type { Condition } from './object.js';
import { gatewayConditions, runnerConditions } from './runners/names.js';

/**
 * The status that each condition has while all is well. Conditions that are not listed here, such as Open, are neutral
 * in either status.
 */
const wellWhen: ReadonlyMap<string, Condition['status']> = new Map([
  [conditions.ready, 'True'],
  [conditions.stalled, 'False'],
  [conditions.rejected, 'False'],
  [conditions.revertBlocked, 'False'],
  [conditions.conflict, 'False'],
  [conditions.gateSkew, 'False'],
  [conditions.selfLockout, 'False'],
  [conditions.routed, 'True'],
  [conditions.planned, 'True'],
  [conditions.submitted, 'True'],
  [conditions.merged, 'True'],
  [conditions.followed, 'True'],
  [conditions.decorated, 'True'],
  [conditions.cleanedUp, 'True'],
  [conditions.providersReachable, 'True'],
  ...Object.values(runnerConditions).map((type) => [type, 'False'] as const),
  [gatewayConditions.proxyAvailable, 'True'],
  [gatewayConditions.agcAvailable, 'True'],
  [gatewayConditions.runnerGroupsDegraded, 'False'],
  [gatewayConditions.egressRulesStale, 'False'],
  [gatewayConditions.proxyQuotaExceeded, 'False'],
  [gatewayConditions.caBundleUnavailable, 'False'],
]);

/** Reasons for which an object waits, begins or goes away, without anything being wrong. */
const waiting: ReadonlySet<string> = new Set([
  'AwaitingGate',
  'GateClosed',
  'DuplicateOpen',
  'CoolDown',
  'NothingToChange',
  'RepositoryNotRead',
  'Committing',
  'Deleting',
]);

/** Returns the type of the event for a condition that changed. */
export function conditionSeverity({
  type,
  status,
  reason,
}: Pick<Condition, 'type' | 'status' | 'reason'>): 'Normal' | 'Warning' {
  const well = wellWhen.get(type) ?? status;
  return status === well || waiting.has(reason) ? 'Normal' : 'Warning';
}
