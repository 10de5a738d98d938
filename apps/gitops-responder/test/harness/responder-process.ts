import type { Clock } from '@interlock/base';
import type { LogLine } from '@interlock/base/testing';
import { TestManager } from '@interlock/kube/testing';
import { defaultResponderName } from '@interlock/responding';
import { builtInPlugins, createScmRegistry } from '@interlock/scm';
import type { Platform } from '@interlock/stack';
import { trace, type Tracer } from '@opentelemetry/api';
import { Agent } from 'undici';
import { addGitOpsResponder } from '../../src/app.js';
import { prometheusResponderMetrics } from '../../src/metrics.js';
import { Planner } from '../../src/planning/planner.js';
import type { WebhookDependencies } from '../../src/webhook/handler.js';

export const configNamespace = 'ugallu-system';

export interface ResponderProcessOptions {
  responderName?: string;
  maxAttempts?: number;
  /** Default: ten minutes, because a test triggers reads itself. */
  pollIntervalMs?: number;
  tracer?: Tracer;
  planner?: Planner;
}

/** The responder, wired as in its own process but running in this one, without flags or leader election. */
export interface ResponderProcess {
  readonly log: readonly LogLine[];
  /** The dependencies of the webhook handler. */
  readonly webhooks: WebhookDependencies;
  /** Returns whether a valid configuration exists. */
  isConfigured(): boolean;
  /** Returns the sum of a metric over all series that have these labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Waits until the process is idle, or killed. */
  rest(before?: () => Promise<void>): Promise<void>;
  /** Ends the process as on SIGKILL: its connections fail from now on. */
  kill(): void;
  readonly isKilled: boolean;
  /** Stops as on SIGTERM. @throws the error of the manager. */
  stop(): Promise<void>;
}

export async function startResponder(
  platform: Platform,
  clock: Clock,
  options: ResponderProcessOptions = {},
): Promise<ResponderProcess> {
  const client = platform.connect('gitops-responder');
  const process = new TestManager(client, clock, 'gitops-responder');
  const { manager, log, random, registry } = process;
  const { responderName = defaultResponderName, maxAttempts = 0 } = options;
  const connections = new Agent();
  const scm = createScmRegistry({
    plugins: builtInPlugins({ clock }),
    uses: ['contents', 'pullRequests'],
    clock,
    random,
    dispatcher: () => connections,
  });
  const { config, webhooks } = addGitOpsResponder({
    manager,
    log,
    metrics: prometheusResponderMetrics(registry),
    tracer: options.tracer ?? trace.getTracer('test'),
    random,
    registry: scm,
    planner: options.planner ?? new Planner(),
    cluster: { id: 'c-1', name: 'prod-eu' },
    configNamespace,
    responderName,
    maxAttempts,
    pollIntervalMs: options.pollIntervalMs ?? 600_000,
  });
  process.run();
  let isKilled = false;
  return {
    log: log.lines,
    webhooks,
    isConfigured: () => config.inUse !== undefined,
    metric: (name, labels) => process.metric(name, labels),
    rest: (before) => process.rest(before, () => isKilled),
    kill() {
      isKilled = true;
      void connections.destroy().catch(() => undefined);
      void client.close();
      void process.stop().catch(() => undefined);
    },
    get isKilled() {
      return isKilled;
    },
    async stop() {
      try {
        await process.stop();
      } catch (error) {
        if (!isKilled) throw error;
      } finally {
        if (!isKilled) await scm.close();
      }
    },
  };
}
