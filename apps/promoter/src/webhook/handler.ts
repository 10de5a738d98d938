import {
  isTyped,
  type AnyScmProvider,
  type ClusterScmProvider,
  type GitRepository,
  type ScmProvider,
} from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { Cache, CacheReader } from '@interlock/kube';
import {
  carriesSignature,
  unverified,
  type DeliveryCheck,
  type RepositoryResolver,
  type ScmPlugin,
  type ScmRegistry,
  type WebhookAnswer,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookSecrets,
} from '@interlock/scm';
import { concernedBy, type ConcernedReader } from './concerned.js';
import type { ReadRequests } from './read-requests.js';

/** The provider that an address names. */
export interface WebhookAddress {
  /** Namespace of the ScmProvider; absent for a ClusterScmProvider. */
  namespace?: string | undefined;
  provider: string;
}

interface WebhookRequest extends WebhookAddress, WebhookDelivery {}

export interface WebhookDependencies extends ConcernedReader {
  registry: ScmRegistry;
  resolver: RepositoryResolver;
  gitRepositories: CacheReader<GitRepository>;
  scmProviders: ProviderCache<ScmProvider>;
  clusterScmProviders: ProviderCache<ClusterScmProvider>;
  secrets: WebhookSecrets;
  requests: ReadRequests;
  log: Logger;
}

type ProviderCache<T extends AnyScmProvider> = Pick<Cache<T>, 'get' | 'hasSynced'>;

export type TargetDependencies = Pick<
  WebhookDependencies,
  'registry' | 'scmProviders' | 'clusterScmProviders'
>;

/** The data with which webhooks at an address are verified. */
interface WebhookTarget {
  provider: AnyScmProvider;
  plugin: ScmPlugin;
}

const refreshing: readonly WebhookEvent['kind'][] = ['push', 'pullRequest', 'commitStatus'];

/**
 * Handles a webhook of an SCM: patches the annotation that makes the leader read the remote of a GitRepository, or a pull
 * request, that the event may have changed. Any replica can therefore accept it, and a replay is harmless.
 */
export async function handleWebhook(
  deps: WebhookDependencies,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const target = findTarget(deps, request);
  if (target === undefined || !carriesSignature(target.plugin.webhook, request.headers)) return unverified;
  const received = await deps.secrets.receive(checkOf(deps, target, request.namespace), request);
  if ('answer' in received) return received.answer;
  const { plugin, event } = received;
  const { provider } = target;
  const repositories = deps.gitRepositories
    .list({ namespace: request.namespace })
    .filter(
      (repository) =>
        repository.spec.scmProviderRef.kind === provider.kind &&
        repository.spec.scmProviderRef.name === request.provider &&
        isAbout(event, plugin, deps.registry.sectionFor(plugin, repository.spec)),
    );
  const concerned = concernedBy(event, plugin.name, repositories, deps);
  await Promise.all([
    ...concerned.repositories.map((object) => deps.requests.refresh(object)),
    ...concerned.pullRequests.map((object) => deps.requests.read(object)),
  ]);
  const fields = {
    delivery: event.delivery,
    kind: event.kind,
    repositories: repositories.length,
    refreshed: concerned.repositories.length,
    pullRequests: concerned.pullRequests.length,
  };
  deps.log.debug(fields, 'webhook');
  return { code: 202, message: `${repositories.length} repositories` };
}

/**
 * Returns whether an event is about a repository. A repository at an SCM other than the SCM of its provider is never concerned.
 */
function isAbout(event: WebhookEvent, { webhook }: ScmPlugin, section: unknown): boolean {
  return section !== undefined && webhook.concerns(event, section);
}

/** Returns the provider that an address names and its plugin, from the caches; undefined when there is no such provider. */
export function findTarget(
  { registry, scmProviders, clusterScmProviders }: TargetDependencies,
  { namespace, provider: name }: WebhookAddress,
): WebhookTarget | undefined {
  const provider =
    namespace === undefined ? clusterScmProviders.get({ name }) : scmProviders.get({ namespace, name });
  if (provider === undefined) return undefined;
  try {
    return { provider, plugin: registry.forProvider(provider.spec) };
  } catch (error) {
    /* The provider names no SCM, or several. */
    if (isTyped(error, 'Invalid')) return undefined;
    throw error;
  }
}

function checkOf(
  { resolver }: WebhookDependencies,
  { provider, plugin }: WebhookTarget,
  namespace: string | undefined,
): DeliveryCheck<ScmPlugin> {
  const { name, uid = '', generation = 0 } = provider.metadata;
  return {
    id: `${namespace ?? ''}/${name} ${uid} ${generation}`,
    plugins: [plugin],
    kinds: refreshing,
    read: async () => (await resolver.secret(provider, namespace))['webhookSecret'] ?? '',
  };
}
