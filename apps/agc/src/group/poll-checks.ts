import type { Clock } from '@interlock/base';
import type { LedGroups } from './led-groups.js';

/** The age of the last answer up to which a group counts as ready; a new session needs time for its first answer. */
const readyAgeMs = 180_000;

/**
 * Returns the checks of the probes.
 *
 * - ready: every group that this replica leads has a credential, GitHub does not refuse its calls, and its polls are
 *   answered.
 * - alive: no group waits for an answer to its polls for longer than the watchdog allows, unless GitHub refuses its
 *   calls.
 *
 * Groups whose runners are being removed no longer poll, so they are not checked: the gmc would take the controller for lost, and the
 * kubelet would restart it.
 *
 * @param watchdogMs a time longer than any back-off
 */
export function pollChecks(
  groups: Pick<LedGroups, 'list'>,
  clock: Pick<Clock, 'monotonic'>,
  watchdogMs: number,
): { ready: () => boolean | string; alive: () => boolean | string } {
  const polling = () => groups.list().filter(({ isClosed }) => !isClosed);
  const ageOf = (lastPollAt: number | undefined): number =>
    lastPollAt === undefined ? 0 : clock.monotonic() - lastPollAt;
  return {
    ready() {
      for (const { name, health, source } of polling()) {
        if (health !== undefined && health.state !== 'polling' && health.state !== 'rateLimited') {
          return `RunnerGroup ${name}: ${health.message ?? health.state}`;
        }
        if (ageOf(source.lastPollAt) > readyAgeMs) return `RunnerGroup ${name}: polls are not answered`;
      }
      return true;
    },
    alive() {
      for (const { name, health, source } of polling()) {
        const isPolling = health === undefined || health.state === 'polling';
        if (isPolling && ageOf(source.lastPollAt) > watchdogMs)
          return `RunnerGroup ${name}: its polls have not been answered for longer than --poll-watchdog`;
      }
      return true;
    },
  };
}
