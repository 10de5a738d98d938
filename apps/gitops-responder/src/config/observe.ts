import type { GitOpsResponderConfig, ResponseProvider } from '@interlock/api';
import type { Manager } from '@interlock/kube';
import { inParallel } from '../in-parallel.js';
import { describeError } from '../text.js';
import { withTimeLimit } from '../time-limit.js';
import type { ObservedConfig, ProviderStatus } from './decide.js';
import { secretNameOf } from './provider.js';
import type { Repositories } from './repositories.js';
import type { ConfigStore } from './store.js';

/* A configuration has at most a hundred repositories, which are all read well within the time limit of a reconcile. */
const probesAtOnce = 10;
const longestProbeMs = 10_000;
const maxMessage = 1024;

interface ConfigSources {
  manager: Pick<Manager, 'clock'>;
  store: ConfigStore;
  repositories: Repositories;
}

/** Observes the chosen configuration, and whether the repositories of the configuration in use are reachable. */
export async function observeConfig(
  sources: ConfigSources,
  config: GitOpsResponderConfig,
  signal: AbortSignal,
): Promise<ObservedConfig> {
  const { choice } = sources.store;
  const isChosen = choice.chosen === config.metadata.name;
  const routes = isChosen ? sources.store.routes : [];
  const named = routes.map(({ provider }) => provider);
  const providers = await inParallel(distinct(named), probesAtOnce, (provider) =>
    probe(sources, provider, signal),
  );
  return { config, choice, providers };
}

function distinct(providers: readonly ResponseProvider[]): ResponseProvider[] {
  const byAccess = new Map(
    providers.map((provider) => [
      JSON.stringify([provider.kind, provider.host, provider.repository, secretNameOf(provider)]),
      provider,
    ]),
  );
  return [...byAccess.values()];
}

async function probe(
  { manager, repositories }: ConfigSources,
  provider: ResponseProvider,
  signal: AbortSignal,
): Promise<ProviderStatus> {
  const { kind, repository } = provider;
  if (kind === 'noop')
    return { kind, repository, reachable: true, message: 'the provider does not make calls' };
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
    return { kind, repository, reachable: false, message: describeError(error, maxMessage) };
  }
}
