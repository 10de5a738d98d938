import { Failure, type Conclusion, type ConfigMap, type EventInput } from '@interlock/kube';
import type { RerunOutcome } from './act.js';
import type { ObservedRerun, RerunDecision } from './decide.js';
import type { RerunResult } from './record.js';

const againMs = 15_000;

/** Returns when a rerun is reconciled again. Pure; `now` in milliseconds since the epoch. */
export function concludeRerun(
  _observed: ObservedRerun,
  decision: RerunDecision,
  outcome: RerunOutcome | Failure,
  now: number,
): Conclusion<ConfigMap> {
  if (outcome instanceof Failure || decision.type === 'remove') return {};
  if (decision.type === 'wait') return { requeueAfterMs: Math.max(0, decision.until - now) };
  return outcome === undefined ? { requeueAfterMs: againMs } : {};
}

const reasons: Record<RerunResult, string> = {
  made: 'RunRerun',
  superseded: 'EvictionRerunWithheld',
  withheld: 'EvictionRerunWithheld',
  exhausted: 'EvictionRetriesExhausted',
  refused: 'EvictionRerunFailed',
  tooLate: 'EvictionRerunFailed',
  notFound: 'EvictionRerunFailed',
};

/** Returns the event of a RunnerGroup for a rerun that has ended. Pure. */
export function rerunEvent({ record }: ObservedRerun, outcome: RerunOutcome): EventInput | undefined {
  if (outcome === undefined) return undefined;
  const { result, message } = outcome;
  const run =
    record.runId === undefined
      ? 'the run of a lost claim'
      : `run ${record.runId} of ${record.repository ?? ''}`;
  const type = result === 'made' || result === 'superseded' ? 'Normal' : 'Warning';
  return {
    type,
    reason: reasons[result],
    action: 'Rerun',
    note: `${run}, after ${record.cause}: ${message}`,
  };
}
