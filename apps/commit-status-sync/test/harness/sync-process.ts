import { createManager, systemClock } from '@interlock/kube';
import { createKubeMetrics } from '@interlock/kube/metrics';
import { idle, metricSum, recordLog } from '@interlock/kube/testing';
import { builtInPlugins, createScmRegistry, RepositoryResolver } from '@interlock/scm';
import type { Platform } from '@interlock/stack';
import { Registry } from 'prom-client';
import { addCommitStatusController } from '../../src/commit-status/controller.js';

/** commit-status-sync as its process wires it, in this one: no flags, no election. */
export interface SyncProcess {
  /** How many reconciles have ended, however they did. */
  reconciles(): Promise<number>;
  /** Waits until nothing is left to do. */
  rest(): Promise<void>;
  /** Stops as on SIGTERM. @throws what made the manager fail. */
  stop(): Promise<void>;
}

export function startSync(platform: Platform): SyncProcess {
  const client = platform.connect('commit-status-sync');
  const registry = new Registry();
  const log = recordLog();
  const manager = createManager({ client, clock: systemClock, log, metrics: createKubeMetrics(registry) });
  const scm = createScmRegistry({ plugins: builtInPlugins() });
  addCommitStatusController(manager, new RepositoryResolver(manager.client, scm));
  const stopping = new AbortController();
  const ended = manager.run(stopping.signal);
  /* The rejection is for whoever stops the process. */
  ended.catch(() => undefined);
  return {
    reconciles: () => metricSum(registry, 'controller_runtime_reconcile_total'),
    rest: () => idle(manager, registry),
    async stop() {
      stopping.abort();
      try {
        await ended;
      } finally {
        await scm.close();
      }
    },
  };
}
