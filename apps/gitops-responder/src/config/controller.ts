import {
  fieldManagers,
  GitOpsResponderConfig,
  keyOf,
  type ObjectKey,
  type ResponseProvider,
} from '@interlock/api';
import {
  applyStatus,
  generationChanged,
  type Cache,
  type EventRecorder,
  type Manager,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import { inParallel } from '../in-parallel.js';
import { toldOf } from '../text.js';
import { withTimeLimit } from '../time-limit.js';
import type { Credentials } from './credentials.js';
import { secretNameOf } from './provider.js';
import type { Repositories } from './repositories.js';
import { configStatus, type ProviderStatus } from './status.js';
import type { ConfigStore } from './store.js';

/** How often it is tried whether the repositories can be reached. */
const probeMs = 5 * 60_000;
/* All of a configuration, which has at most a hundred, are done well within the time limit of a reconcile. */
const probesAtOnce = 10;
const longestProbeMs = 10_000;
const maxMessage = 1024;

export interface ConfigControllerOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'recordTransitions'>;
  configs: Cache<GitOpsResponderConfig>;
  namespace: string;
  store: ConfigStore;
  credentials: Credentials;
  repositories: Repositories;
  onHostsChange?: ((handler: () => void) => void) | undefined;
}

/** Adds the controller that says in each configuration whether it is used, and whom it reaches. */
export function addConfigController(options: ConfigControllerOptions): void {
  const { manager, configs, namespace, store, credentials } = options;
  const handle = manager.addController({
    name: 'gitops-responder-config',
    for: { kind: GitOpsResponderConfig, cache: { namespace }, predicate: generationChanged },
    concurrency: 1,
    reconcile: (key, context) => reconcileConfig(options, key, context),
  });
  const all = (): void => configs.list().forEach((config) => handle.enqueue(keyOf(config)));
  store.onChange(all);
  options.onHostsChange?.(all);
  credentials.onChange((name) => {
    const routes = store.inUse?.routing.routes ?? [];
    if (routes.some(({ provider }) => secretNameOf(provider) === name)) all();
  });
}

async function reconcileConfig(
  options: ConfigControllerOptions,
  key: ObjectKey,
  { now, signal }: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const { manager, events, configs, store } = options;
  const { choice } = store;
  const config = configs.get(key);
  if (config === undefined) return undefined;
  const isChosen = choice.chosen === config.metadata.name;
  const routes = isChosen ? (choice.inUse?.routing.routes ?? []) : [];
  const providers = await probeAll(
    options,
    routes.map(({ provider }) => provider),
    signal,
  );
  const status = configStatus(config, choice, providers, now);
  await applyStatus(manager.client, GitOpsResponderConfig, config, status, {
    fieldManager: fieldManagers.gitopsResponder,
    signal,
  });
  events.recordTransitions(config, 'Configure', config.status?.conditions, status.conditions, (condition) =>
    condition.status === 'True' && condition.type !== 'Stalled' ? 'Normal' : 'Warning',
  );
  return isChosen ? { requeueAfterMs: probeMs } : undefined;
}

function probeAll(
  options: ConfigControllerOptions,
  providers: readonly ResponseProvider[],
  signal: AbortSignal,
): Promise<ProviderStatus[]> {
  const distinct = new Map(
    providers.map((provider) => [
      JSON.stringify([provider.kind, provider.host, provider.repository, secretNameOf(provider)]),
      provider,
    ]),
  );
  return inParallel([...distinct.values()], probesAtOnce, (provider) => probe(options, provider, signal));
}

async function probe(
  { manager, repositories }: ConfigControllerOptions,
  provider: ResponseProvider,
  signal: AbortSignal,
): Promise<ProviderStatus> {
  const { kind, repository } = provider;
  if (kind === 'noop') return { kind, repository, reachable: true, message: 'nothing is called' };
  try {
    return await withTimeLimit(manager.clock, longestProbeMs, signal, async (limited) => {
      const { scm, repository: opened } = await repositories.open(provider, limited);
      const { archived } = await opened.describe({ signal: limited });
      const identity = await scm.login({ signal: limited });
      if (!archived) return { kind, repository, identity, reachable: true };
      return { kind, repository, identity, reachable: false, message: 'the repository is archived' };
    });
  } catch (error) {
    signal.throwIfAborted();
    return { kind, repository, reachable: false, message: toldOf(error, maxMessage) };
  }
}
