import { aborted, delay, type Clock } from '@interlock/base';

/**
 * The time that a claim in progress has to finish when the work ends: the service has assigned the job to a runner of this process,
 * and the next leader could only run it again.
 */
const claimMs = 8_000;

/** Returns the signal of claims, which may continue for a while after `stop`, and end with `lost`. */
export function claimSignal(clock: Clock, stop: AbortSignal, lost: AbortSignal): AbortSignal {
  const late = new AbortController();
  void aborted(stop)
    .then(() => delay(clock, claimMs, lost))
    .then(() => late.abort());
  return AbortSignal.any([lost, late.signal]);
}
