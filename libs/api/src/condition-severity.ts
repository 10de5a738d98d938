import { conditions } from './names.js';
import type { Condition } from './object.js';
import { gatewayConditions, runnerConditions } from './runners/names.js';

/** The status of each condition with which all is well. Those that are missing are the course of things, such as being open. */
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
  [conditions.providersReachable, 'True'],
  ...Object.values(runnerConditions).map((type) => [type, 'False'] as const),
  [gatewayConditions.proxyAvailable, 'True'],
  [gatewayConditions.agcAvailable, 'True'],
  [gatewayConditions.runnerGroupsDegraded, 'False'],
  [gatewayConditions.egressRulesStale, 'False'],
  [gatewayConditions.proxyQuotaExceeded, 'False'],
  [gatewayConditions.caBundleUnavailable, 'False'],
]);

/** Nothing is wrong while an EventResponse waits for these. */
const waiting: ReadonlySet<string> = new Set([
  'AwaitingGate',
  'GateClosed',
  'DuplicateOpen',
  'CoolDown',
  'NothingToChange',
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
