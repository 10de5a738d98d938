import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import type { LogLine } from '@interlock/base/testing';
import { createClient } from '@interlock/kube';
import { TestManager } from '@interlock/kube/testing';
import { builtInPlugins, createScmRegistry, prometheusScmMetrics } from '@interlock/scm';
import { installIdentity, systemNamespace, writeAppKubeconfig, type Platform } from '@interlock/stack';
import { addCommitStatusSync, type CommitStatusSyncOptions } from '../../src/app.js';

const app = 'commit-status-sync';

export type SyncProcessOptions = Pick<CommitStatusSyncOptions, 'commitStatusTtlMs'>;

/**
 * commit-status-sync, wired as in its own process but running in this one: without flags or leader election, and with exactly the
 * permissions that its chart grants.
 */
export interface SyncProcess {
  readonly log: readonly LogLine[];
  /** Returns the number of reconciles that have ended, with any result. */
  reconciles(): Promise<number>;
  /** Returns the sum of a metric over the series that have all these labels. */
  metric(name: string, labels: Record<string, string>): Promise<number>;
  /** Waits until only delayed work is left. */
  rest(): Promise<void>;
  /** Stops as on SIGTERM. @throws the error of the manager. */
  stop(): Promise<void>;
}

export async function startSync(
  platform: Platform,
  clock: Clock,
  options: SyncProcessOptions,
): Promise<SyncProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sync-test-'));
  const kubeConfig = join(folder, 'kubeconfig');
  await installIdentity(platform.client, app);
  await writeAppKubeconfig(
    platform.client,
    platform.admin,
    { namespace: systemNamespace, name: app },
    kubeConfig,
  );
  const client = createClient({ kubeConfig, userAgent: app, defaultFieldManager: app });
  const process = new TestManager(client, clock, app);
  const { manager, log, random } = process;
  const registry = createScmRegistry({
    plugins: builtInPlugins({ clock }),
    uses: ['statuses'],
    clock,
    random,
    metrics: prometheusScmMetrics(process.registry),
  });
  addCommitStatusSync({ manager, registry, log, random, ...options });
  process.run();
  return {
    log: log.lines,
    reconciles: () => process.reconciles(),
    metric: (name, labels) => process.metric(name, labels),
    rest: () => process.rest(),
    async stop() {
      try {
        await process.stop();
      } finally {
        await registry.close();
        await client.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
