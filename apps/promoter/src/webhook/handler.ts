import {
  annotations,
  fieldManagers,
  GitRepository,
  isTyped,
  keyOf,
  type ClusterScmProvider,
  type ObjectKey,
  type ScmProvider,
} from '@interlock/api';
import type { Cache, CacheReader, Client, Logger } from '@interlock/kube';
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

/** What an address names. */
export interface WebhookAddress {
  /** Namespace of the ScmProvider; absent for a ClusterScmProvider. */
  namespace?: string | undefined;
  provider: string;
}

export interface WebhookRequest extends WebhookAddress, WebhookDelivery {}

export interface WebhookDependencies {
  client: Client;
  registry: ScmRegistry;
  resolver: RepositoryResolver;
  gitRepositories: CacheReader<GitRepository>;
  scmProviders: ProviderCache<ScmProvider>;
  clusterScmProviders: ProviderCache<ClusterScmProvider>;
  secrets: WebhookSecrets;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Logger;
}

type ProviderCache<T extends ScmProvider | ClusterScmProvider> = Pick<Cache<T>, 'get' | 'hasSynced'>;
type Provider = ScmProvider | ClusterScmProvider;

export type TargetDependencies = Pick<
  WebhookDependencies,
  'registry' | 'scmProviders' | 'clusterScmProviders'
>;

/** What webhooks at an address are checked with. */
export interface WebhookTarget {
  provider: Provider;
  plugin: ScmPlugin;
}

const refreshing: readonly WebhookEvent['kind'][] = ['push', 'pullRequest', 'commitStatus'];

/**
 * Takes a webhook of an SCM. Does one thing: for the GitRepositories that the event is about it patches the annotation on
 * which the leader looks at the remote; so any replica can take it, and a replay does no harm.
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
  const concerned = deps.gitRepositories
    .list(request.namespace === undefined ? {} : { namespace: request.namespace })
    .filter(
      (repository) =>
        repository.spec.scmProviderRef.kind === provider.kind &&
        repository.spec.scmProviderRef.name === request.provider &&
        isAbout(event, plugin, deps.registry.sectionFor(plugin, repository.spec)),
    );
  await Promise.all(concerned.map((repository) => requestRefresh(deps, keyOf(repository), event.kind)));
  deps.log.debug({ delivery: event.delivery, kind: event.kind, repositories: concerned.length }, 'webhook');
  return { code: 202, message: `${concerned.length} repositories` };
}

/** A repository that is for another SCM than its provider is about nothing. */
function isAbout(event: WebhookEvent, { webhook }: ScmPlugin, section: unknown): boolean {
  return section !== undefined && webhook.concerns(event, section);
}

/** Returns the provider that an address names and its plugin, from the caches; undefined when there are none. */
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
    /* A provider of no SCM, or of several. */
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
    read: () => readSecret(resolver, provider, namespace),
  };
}

/** Returns the secret of the webhooks of a provider; empty, so that none is taken, when there is none. */
async function readSecret(
  resolver: RepositoryResolver,
  provider: Provider,
  namespace: string | undefined,
): Promise<string> {
  try {
    return (await resolver.secret(provider, namespace))['webhookSecret'] ?? '';
  } catch (error) {
    if (isTyped(error, 'NotFound')) return '';
    throw error;
  }
}

async function requestRefresh(
  { client, now }: WebhookDependencies,
  key: ObjectKey,
  kind: WebhookEvent['kind'],
): Promise<void> {
  const at = new Date(now()).toISOString();
  const metadata = {
    annotations: {
      [annotations.refreshedAt]: at,
      ...(kind === 'pullRequest' && { [annotations.pullRequestEventAt]: at }),
    },
  };
  await client.patch(
    GitRepository,
    key,
    { type: 'merge', patch: { metadata } },
    { fieldManager: fieldManagers.promoter },
  );
}
