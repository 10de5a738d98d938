import type { Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import type { Check } from '../http/probes.js';

/**
 * Returns the liveness check of the controllers. It fails while a worker hangs, and names the worker in its answer and
 * in the log, which outlives the restart.
 */
export function workersCheck(manager: Pick<Manager, 'hungWorker'>, log: Pick<Logger, 'error'>): Check {
  return () => {
    const hung = manager.hungWorker();
    if (hung === undefined) return true;
    const { controller, key, runningMs } = hung;
    const seconds = Math.round(runningMs / 1000);
    log.error({ controller, key, seconds }, 'a worker hangs; the liveness probe fails');
    return `a worker of controller ${controller} has been reconciling ${key} for ${seconds} s`;
  };
}
