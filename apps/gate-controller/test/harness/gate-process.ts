import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectKey } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { LogLine } from '@interlock/base/testing';
import { createClient, type Client } from '@interlock/kube';
import { TestManager } from '@interlock/kube/testing';
import { admissionService, installIdentity, systemNamespace, writeAppKubeconfig } from '@interlock/stack';
import { addAdmission } from '../../src/admission/serve.js';
import { addGateController, type GateControllerOptions } from '../../src/app.js';
import { addGateEndpoint } from '../../src/http/serve.js';
import { prometheusGateMetrics } from '../../src/metrics.js';

const app = 'gate-controller';
/** Long enough for tests that advance the time by years. */
const tokenSeconds = 50 * 365 * 86_400;

export type GateProcessOptions = Pick<
  GateControllerOptions,
  'stateTtlMs' | 'auditTtlMs' | 'calendarHosts' | 'servesAdmission' | 'skewMs' | 'sign'
> & {
  /** Port of the admission webhooks. Defaults to any free port. */
  admissionPort?: number | undefined;
};

/**
 * The gate-controller, wired as in its own process but running in this one: without flags or leader election, and with
 * exactly the permissions that its chart grants.
 */
export interface GateProcess {
  readonly log: readonly LogLine[];
  /** Returns how many reconciles have ended, successfully or not. */
  reconciles(): Promise<number>;
  /** Returns the sum of a metric over the series that have all these labels. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
  /** Returns the names of the overrides that the decision about a gate considers. */
  overridesOf(gate: ObjectKey): string[];
  /**
   * With servesAdmission: the ports of the admission webhooks and of the endpoint; undefined while they are not served.
   */
  readonly ports: { admission: number | undefined; gates: number | undefined };
  /** Waits until all remaining work is scheduled for a later time. */
  rest(): Promise<void>;
  /**
   * Stops as on SIGTERM.
   *
   * @throws the error that made the manager fail
   */
  stop(): Promise<void>;
}

export interface Cluster {
  /** Client of a cluster admin. */
  client: Client;
  admin: Parameters<typeof writeAppKubeconfig>[1];
}

export async function startGates(
  cluster: Cluster,
  clock: Clock,
  { admissionPort = 0, ...options }: GateProcessOptions,
): Promise<GateProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-test-'));
  const kubeConfig = join(folder, 'kubeconfig');
  await installIdentity(cluster.client, app);
  const account = { namespace: systemNamespace, name: app };
  await writeAppKubeconfig(cluster.client, cluster.admin, account, kubeConfig, tokenSeconds);
  const client = createClient({ kubeConfig, userAgent: app, defaultFieldManager: app });
  const process = new TestManager(client, clock, app);
  const { manager, events, log, random, registry } = process;
  const { caches, reader } = addGateController({
    manager,
    events,
    log,
    random,
    metrics: prometheusGateMetrics(registry),
    ...options,
  });
  const host = '127.0.0.1';
  const admission = options.servesAdmission
    ? addAdmission(manager, caches, log, registry, {
        address: { host, port: admissionPort },
        namespace: systemNamespace,
        service: admissionService(app),
        secret: 'gate-controller-admission',
        configuration: `interlock-${app}`,
        authorizesOverrides: true,
        clockSkew: { ms: 0 },
      })
    : undefined;
  const gates = options.servesAdmission
    ? addGateEndpoint(manager, reader, log, { address: { host, port: 0 } })
    : undefined;
  process.run();
  return {
    log: log.lines,
    get ports() {
      return { admission: admission?.port, gates: gates?.port };
    },
    reconciles: () => process.reconciles(),
    metric: (name, labels) => process.metric(name, labels),
    overridesOf(key) {
      const gate = caches.gates.get(key);
      return gate === undefined ? [] : reader.overridesOf(gate).map(({ metadata }) => metadata.name);
    },
    rest: () => process.rest(),
    async stop() {
      try {
        await process.stop();
      } finally {
        await client.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
