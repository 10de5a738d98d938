import { timestampOf, type EnvironmentHealth, type SourcePhase } from '@interlock/api';
import type { Verdict } from './model.js';

/** Health flaps while objects are being replaced: a verdict has to last this long before it counts; milliseconds. */
export const settleMs = 5_000;

interface Settled {
  phase: SourcePhase;
  observedSince: string;
  /** When a verdict will have lasted long enough; milliseconds since the epoch. */
  settlesAt?: number;
}

/**
 * Returns the phase that counts: success and failure count once they have lasted, in_progress counts at once. Their start is kept
 * in the status, so that a restart does not reset it. If the object itself reports a later change, that time counts.
 * @param before the environment in the status; ignored for another commit.
 */
export function settle(
  before: EnvironmentHealth | undefined,
  sha: string | undefined,
  verdict: Verdict,
  now: number,
): Settled {
  const same = before?.observed === verdict.phase && before.sha === sha;
  /* Times in the API are whole seconds: rounded up, nothing counts too early. */
  const seen = same ? Date.parse(before.observedSince) : wholeSecondsUp(now);
  const reported = verdict.changedAt ?? 0;
  const since = reported > seen && reported <= now ? reported : seen;
  const settlesAt = since + settleMs;
  const observedSince = timestampOf(since);
  if (verdict.phase === 'in_progress' || now >= settlesAt) return { phase: verdict.phase, observedSince };
  return { phase: 'in_progress', observedSince, settlesAt };
}

/** Returns the first whole second that is not before `ms`; milliseconds since the epoch. */
export function wholeSecondsUp(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}
