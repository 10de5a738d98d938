import { EventResponse, GitOpsResponderConfig, SecurityEvent } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import type { ProposalFacts } from '@interlock/responding';
import { WebhookSecrets, type ScmRegistry } from '@interlock/scm';
import type { Tracer } from '@opentelemetry/api';
import { Credentials } from './config/credentials.js';
import { addConfigReconciler } from './config/reconciler.js';
import { Repositories } from './config/repositories.js';
import { ConfigStore } from './config/store.js';
import { Duplicates } from './event-response/duplicates.js';
import { Occupancy } from './event-response/occupancy.js';
import { addEventResponseReconciler } from './event-response/reconciler.js';
import { Removals } from './event-response/removals.js';
import { Gates } from './gates.js';
import type { ResponderMetrics } from './metrics.js';
import type { Planner } from './planning/planner.js';
import { reduceResponse } from './reduce.js';
import type { WebhookDependencies } from './webhook/handler.js';
import { OpenRequests } from './webhook/open-requests.js';

interface GitOpsResponderOptions {
  manager: Manager;
  log: Logger;
  metrics: ResponderMetrics;
  tracer: Tracer;
  /** Uniform in [0, 1). */
  random: () => number;
  registry: ScmRegistry;
  planner: Planner;
  /** Registers a handler that is called when the allowed hosts may have changed; absent if they never change. */
  onHostsChange?: ((handler: () => void) => void) | undefined;
  cluster: ProposalFacts['cluster'];
  /** Namespace of the configurations and their Secrets. */
  configNamespace: string;
  /** Name of this responder; it handles the responses that name it. */
  responderName: string;
  /** 0 uses the retry policy of each response. */
  maxAttempts: number;
  /** Milliseconds between two reads of an open pull request. */
  pollIntervalMs: number;
}

interface GitOpsResponder {
  /** The configuration, which is ready when a valid one exists. */
  config: ConfigStore;
  /** The dependencies of the webhook handler. */
  webhooks: WebhookDependencies;
}

/** Adds the reconcilers of configurations and responses to a manager. */
export function addGitOpsResponder(options: GitOpsResponderOptions): GitOpsResponder {
  const { manager, log, random, registry, configNamespace: namespace } = options;
  const { client, clock } = manager;
  const configs = manager.cache(GitOpsResponderConfig, { namespace });
  const store = new ConfigStore(configs);
  const credentials = new Credentials(manager, namespace);
  const repositories = new Repositories(registry, credentials, store, namespace);
  const gates = new Gates(manager, log, random, store, namespace);
  manager.add(gates);
  const responseCache = { transform: reduceResponse(options.responderName) };
  const responses = manager.cache(EventResponse, responseCache);
  addConfigReconciler({
    manager,
    configs,
    namespace,
    store,
    credentials,
    repositories,
    onHostsChange: options.onHostsChange,
  });
  addEventResponseReconciler({
    ...options,
    responseCache,
    responses,
    securityEvents: manager.cache(SecurityEvent),
    store,
    credentials,
    repositories,
    gates,
    occupancy: new Occupancy(responses),
    duplicates: new Duplicates(responses),
    removals: new Removals(responses),
  });
  const requests = new OpenRequests(responses, options.responderName);
  const now = (): number => clock.now();
  const secrets = new WebhookSecrets(() => clock.monotonic());
  return {
    config: store,
    webhooks: { client, registry, store, credentials, requests, secrets, now, log },
  };
}
