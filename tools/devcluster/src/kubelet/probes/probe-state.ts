import { objectAt, valueAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** The settings of a probe. */
export interface ProbeSettings {
  handler: JsonObject;
  initialDelayMs: number;
  periodMs: number;
  timeoutMs: number;
  successThreshold: number;
  failureThreshold: number;
  /** Grace period after a failure, in seconds; default: the grace period of the pod. */
  graceSeconds: number | undefined;
}

/** Returns the settings of a probe of a container; undefined if the container has no supported probe of this kind. */
export function probeSettings(container: JsonObject, kind: ProbeKind): ProbeSettings | undefined {
  const handler = objectAt(container, `${kind}Probe`);
  if (!['exec', 'httpGet', 'tcpSocket'].some((field) => field in handler)) return undefined;
  const number = (field: string, fallback: number): number => {
    const value = valueAt(handler, field);
    return typeof value === 'number' && value > 0 ? value : fallback;
  };
  const grace = valueAt(handler, 'terminationGracePeriodSeconds');
  return {
    handler,
    initialDelayMs: number('initialDelaySeconds', 0) * 1000,
    periodMs: number('periodSeconds', 10) * 1000,
    timeoutMs: number('timeoutSeconds', 1) * 1000,
    successThreshold: number('successThreshold', 1),
    failureThreshold: number('failureThreshold', 3),
    graceSeconds: typeof grace === 'number' ? grace : undefined,
  };
}

/** The number of consecutive equal results, and the current verdict. */
export interface ProbeTally {
  lastSuccess: boolean | undefined;
  count: number;
  /** Undefined until a threshold is reached. */
  verdict: boolean | undefined;
}

export const noResults: ProbeTally = { lastSuccess: undefined, count: 0, verdict: undefined };

/** Returns the tally after one more result: a verdict changes when its threshold is reached. */
export function tallied(
  tally: ProbeTally,
  isSuccess: boolean,
  { successThreshold, failureThreshold }: Pick<ProbeSettings, 'successThreshold' | 'failureThreshold'>,
): ProbeTally {
  const count = tally.lastSuccess === isSuccess ? tally.count + 1 : 1;
  const isReached = count >= (isSuccess ? successThreshold : failureThreshold);
  return { lastSuccess: isSuccess, count, verdict: isReached ? isSuccess : tally.verdict };
}
