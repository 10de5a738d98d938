import { timestampOf, type SourcePhase } from '@interlock/api';
import { formatDuration, parseDuration } from '@interlock/service';

/** Maximum number of steps in which the remaining time is shown, none shorter than a minute: each is a call to the SCM. */
const steps = 10;
const shortestStepMs = 60_000;

interface Soak {
  phase: SourcePhase;
  message: string;
  /** When the commit will have been healthy for long enough; milliseconds since the epoch. */
  until: number;
  /** Milliseconds until the phase or the message changes. */
  wakeInMs?: number;
}

/**
 * Returns whether a commit has been healthy for long enough, as a phase and a message.
 *
 * @param duration a Go duration.
 * @param since the time at which the commit became healthy, in milliseconds since the epoch.
 * @throws TypedError `Invalid` for a malformed duration.
 */
export function soak(duration: string, since: number, now: number): Soak {
  const durationMs = parseDuration(duration);
  const until = since + durationMs;
  const healthy = `healthy since ${timestampOf(since)}`;
  if (now >= until) {
    return { phase: 'success', message: `${healthy}, for at least ${formatDuration(durationMs)}`, until };
  }
  const leftMs = until - now;
  const stepMs = Math.max(shortestStepMs, Math.ceil(durationMs / steps));
  const stepsLeft = Math.ceil(leftMs / stepMs);
  const shown = formatDuration(wholeSeconds(Math.min(durationMs, stepsLeft * stepMs)));
  return {
    phase: 'in_progress',
    message: `${healthy}; ${shown} left of ${formatDuration(durationMs)}: succeeds at ${timestampOf(until)} if it stays healthy`,
    until,
    wakeInMs: leftMs - (stepsLeft - 1) * stepMs,
  };
}

function wholeSeconds(ms: number): number {
  return ms < 1000 ? ms : Math.ceil(ms / 1000) * 1000;
}
