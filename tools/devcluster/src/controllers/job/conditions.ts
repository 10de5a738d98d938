import { formatSeconds, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { conditionOf } from '../pod-state.js';

/** The reason why a Job ends. */
export interface Ending {
  succeeded: boolean;
  reason: string;
  message: string;
}

/** Returns whether the status of a condition of a Job is `True`. */
function isMet(job: KubeObject, type: string): boolean {
  return conditionOf(job, type)?.['status'] === 'True';
}

/** Returns whether a Job has ended permanently. */
export function isEnded(job: KubeObject): boolean {
  return isMet(job, 'Complete') || isMet(job, 'Failed');
}

/** Returns the end that an earlier pass decided for a Job, and that is not final until its last pods end. */
export function decidedEnding(job: KubeObject): Ending | undefined {
  const [succeeded, type] = isMet(job, 'SuccessCriteriaMet')
    ? [true, 'SuccessCriteriaMet']
    : [false, 'FailureTarget'];
  if (!isMet(job, type)) return undefined;
  const { reason, message } = conditionOf(job, type) ?? {};
  return { succeeded, reason: String(reason), message: String(message) };
}

/**
 * Returns the conditions with one condition set. An absent condition is not added with the status `False`. `now`:
 * milliseconds since the epoch.
 */
export function ensureCondition(
  conditions: readonly JsonObject[],
  type: string,
  status: 'True' | 'False',
  { reason, message }: Pick<Ending, 'reason' | 'message'>,
  now: number,
): { conditions: JsonObject[]; changed: boolean } {
  const time = formatSeconds(new Date(now));
  const next = { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
  const index = conditions.findIndex((one) => one['type'] === type);
  const present = conditions[index];
  if (present === undefined) {
    const isAdded = status === 'True';
    return { conditions: isAdded ? [...conditions, next] : [...conditions], changed: isAdded };
  }
  const isSame =
    present['status'] === status && present['reason'] === reason && present['message'] === message;
  return { conditions: isSame ? [...conditions] : conditions.with(index, next), changed: !isSame };
}
