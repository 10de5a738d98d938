import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createManager, EventRecorder, type Clock } from '@interlock/kube';
import { createKubeMetrics } from '@interlock/kube/metrics';
import { idle, metricSum, recordLog, type LogLine } from '@interlock/kube/testing';
import { installIdentity, systemNamespace, writeAppKubeconfig, type Platform } from '@interlock/stack';
import { Registry } from 'prom-client';
import { addGateController } from '../../src/app.js';
import { prometheusGateMetrics } from '../../src/metrics.js';

const app = 'gate-controller';
const random = (): number => 0.5;
const hour = 3_600_000;

/** gate-controller as its process wires it, in this one, with exactly the rights that its chart grants: no flags, no election. */
export interface GateProcess {
  readonly log: readonly LogLine[];
  /** How many reconciles have ended, however they did. */
  reconciles(): Promise<number>;
  /** Waits until nothing is left to do but what waits for a time. */
  rest(): Promise<void>;
  /** Stops as on SIGTERM. @throws what made the manager fail. */
  stop(): Promise<void>;
}

export interface GateProcessOptions {
  /** Default one hour. */
  stateTtlMs?: number;
}

export async function startGateProcess(
  platform: Pick<Platform, 'client' | 'admin'>,
  clock: Clock,
  { stateTtlMs = hour }: GateProcessOptions = {},
): Promise<GateProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-test-'));
  const kubeConfig = join(folder, 'kubeconfig');
  await installIdentity(platform.client, app);
  await writeAppKubeconfig(
    platform.client,
    platform.admin,
    { namespace: systemNamespace, name: app },
    kubeConfig,
  );
  const client = createClient({ kubeConfig, userAgent: app, defaultFieldManager: app });
  const log = recordLog();
  const prometheus = new Registry();
  const metrics = createKubeMetrics(prometheus);
  const reporter = { controller: `interlock.dev/${app}`, instance: 'test' };
  const events = new EventRecorder({ client, clock, log, metrics, reporter, random });
  const manager = createManager({ client, clock, log, metrics, events, random });
  addGateController({
    manager,
    events,
    log,
    random,
    metrics: prometheusGateMetrics(prometheus),
    skewMs: () => 0,
    stateTtlMs,
    auditTtlMs: 0,
    calendarHosts: [],
    servesAdmission: false,
  });
  const stopping = new AbortController();
  const ended = manager.run(stopping.signal);
  /* The rejection is for whoever stops the process. */
  ended.catch(() => undefined);
  return {
    log: log.lines,
    reconciles: () => metricSum(prometheus, 'controller_runtime_reconcile_total'),
    rest: () => idle(manager, prometheus),
    async stop() {
      stopping.abort();
      try {
        await ended;
      } finally {
        await client.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
