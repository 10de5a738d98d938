import type { JobConclusion } from '@interlock/broker';
import type { RerunCause } from '../rerun/record.js';
import type { JobEnd } from './record.js';

/** What follows from the end of a job. */
interface Aftermath {
  /** What is reported to the service for the delivery that ran; absent: the runner did, or nobody may. */
  conclusion?: JobConclusion | undefined;
  /** What is reported for further deliveries of the same job, which never ran. */
  siblings: JobConclusion;
  /** Absent: the job is not run again. `isCancelled`: that it shows as cancelled is not a user's doing. */
  rerun?: { cause: RerunCause; isCancelled: boolean } | undefined;
}

/**
 * Returns what follows from the end of a job. Pure.
 *
 * A delivery that never ran is not concluded: GitHub takes `abandoned` and `canceled` for it as success of the run, and refuses
 * `failed`. One that its user cancelled is, because the service waits for that.
 */
export function aftermathOf({ ending, result, disruption, isRevoked }: JobEnd): Aftermath {
  switch (ending) {
    case 'reported':
      return { siblings: result ?? 'failed' };
    case 'crashed':
    case 'deadline':
      return { conclusion: 'failed', siblings: 'failed' };
    case 'disrupted': {
      const rerun = { cause: disruption ?? 'deletion', isCancelled: result === 'canceled' };
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
