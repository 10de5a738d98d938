import type { JobConclusion } from '@interlock/broker';
import type { RerunCause } from '../rerun/record.js';
import type { JobEnd } from './record.js';

/** The consequences of the end of a job. */
export interface Aftermath {
  /** The conclusion of the delivery that ran; absent when the runner has reported it, or when no conclusion may be reported. */
  conclusion?: JobConclusion | undefined;
  /** The conclusion of further deliveries of the same job, which never ran. */
  siblings: JobConclusion;
  /** Absent when the job is not run again. `isCancelled`: GitHub shows the job as cancelled although no user cancelled it. */
  rerun?: { cause: RerunCause; isCancelled: boolean } | undefined;
}

/**
 * Returns the consequences of the end of a job. Pure.
 *
 * A delivery that never ran is not concluded: GitHub treats `abandoned` and `canceled` for it as a success of the run, and refuses
 * `failed`. A delivery that its user cancelled is concluded, because the service waits for that.
 */
export function aftermathOf({ ending, result, disruption, isRevoked }: JobEnd): Aftermath {
  switch (ending) {
    case 'reported':
      return { siblings: result ?? 'failed' };
    case 'crashed':
    case 'deadline':
      return { conclusion: 'failed', siblings: 'failed' };
    case 'disrupted': {
      const isCancelled = result === 'canceled' && isRevoked !== true;
      const rerun = { cause: disruption ?? 'deletion', isCancelled };
      return { conclusion: result === undefined ? 'failed' : undefined, siblings: 'failed', rerun };
    }
    case 'cancelled':
      return { conclusion: 'canceled', siblings: 'canceled' };
    case 'lockLost':
      return { siblings: 'failed', rerun: { cause: 'lockLost', isCancelled: isRevoked !== true } };
    case 'abandoned':
      return { siblings: 'failed', rerun: { cause: 'abandoned', isCancelled: false } };
  }
}
