import { timestampOf, type EnvironmentHealth, type SourcePhase } from '@interlock/api';
import type { Verdict } from './model.js';

/** Health flaps while objects are being replaced: what is to be believed has to last so long; milliseconds. */
export const settleMs = 5_000;

export interface Settled {
  phase: SourcePhase;
  observedSince: string;
  /** When a verdict that has not lasted yet will have; milliseconds since the epoch. */
  settlesAt?: number;
}

/**
 * Success and failure count once they have lasted, in_progress at once. Since when they last is kept in the status, so
 * that a restart does not begin anew; an object that says itself that it changed later is believed.
 * @param before the environment as the status has it; void for another commit.
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
  const said = verdict.changedAt ?? 0;
  const since = said > seen && said <= now ? said : seen;
  const settlesAt = since + settleMs;
  const observedSince = timestampOf(since);
  if (verdict.phase === 'in_progress' || now >= settlesAt) return { phase: verdict.phase, observedSince };
  return { phase: 'in_progress', observedSince, settlesAt };
}

/** Returns the first whole second that is not before `ms`; milliseconds since the epoch. */
export function wholeSecondsUp(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}
