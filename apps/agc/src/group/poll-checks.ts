import type { Clock } from '@interlock/kube';
import type { LedGroups } from './led-groups.js';

/** A session that has just begun has not been answered yet. */
const readyAgeMs = 180_000;

/**
 * Returns the checks of the probes.
 *
 * - ready: no group that this replica leads is without a credential or refused by GitHub, and its polls are answered.
 * - alive: no group waits for an answer to its polls for longer than the watchdog allows, while GitHub refuses nothing.
 *
 * @param watchdogMs longer than any back-off
 */
export function pollChecks(
  groups: LedGroups,
  clock: Clock,
  watchdogMs: number,
): { ready: () => boolean | string; alive: () => boolean | string } {
  const ageOf = (lastPollAt: number | undefined): number =>
    lastPollAt === undefined ? 0 : clock.monotonic() - lastPollAt;
  return {
    ready() {
      for (const { name, health, source } of groups.list()) {
        if (health !== undefined && health.state !== 'polling' && health.state !== 'rateLimited') {
          return `RunnerGroup ${name}: ${health.message ?? health.state}`;
        }
        if (ageOf(source.lastPollAt) > readyAgeMs) return `RunnerGroup ${name}: polls are not answered`;
      }
      return true;
    },
    alive() {
      for (const { name, health, source } of groups.list()) {
        const isPolling = health === undefined || health.state === 'polling';
        if (isPolling && ageOf(source.lastPollAt) > watchdogMs) return `RunnerGroup ${name}: its polls hang`;
      }
      return true;
    },
  };
}
