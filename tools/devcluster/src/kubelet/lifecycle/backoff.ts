/** The back-off of an ended container, and when it was last computed. */
export interface RestartBackoff {
  delayMs: number;
  updatedAt: number;
}

const firstDelayMs = 10_000;
const longestDelayMs = 300_000;
/** Running time since the last restart after which the back-off is reset. */
const resetAfterMs = 2 * longestDelayMs;

function isExpired({ updatedAt }: RestartBackoff, finishedAt: number): boolean {
  return finishedAt - updatedAt > resetAfterMs;
}

/** Returns when a container that ended at `finishedAt` may start again. The first restart is immediate. */
export function restartAt(backoff: RestartBackoff | undefined, finishedAt: number): number {
  return backoff === undefined || isExpired(backoff, finishedAt) ? finishedAt : finishedAt + backoff.delayMs;
}

/** Returns the back-off after a restart: 10 s at first, doubled each time up to 5 minutes. */
export function afterRestart(
  backoff: RestartBackoff | undefined,
  finishedAt: number,
  now: number,
): RestartBackoff {
  const isFirst = backoff === undefined || isExpired(backoff, finishedAt);
  return { delayMs: isFirst ? firstDelayMs : nextDelay(backoff.delayMs), updatedAt: now };
}

/** Returns the next delay of restarts and image pulls; 10 s is the first. */
export function nextDelay(delayMs: number | undefined): number {
  return delayMs === undefined ? firstDelayMs : Math.min(2 * delayMs, longestDelayMs);
}

/** Returns a delay in the format of Go: `10s`, `1m20s`, `5m0s`. */
export function delayText(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
