import {
  annotations,
  ClusterScmProvider,
  fieldManagers,
  GitRepository,
  isTyped,
  keyOf,
  ScmProvider,
  type ObjectKey,
} from '@interlock/api';
import type { CacheReader, Client, Logger } from '@interlock/kube';
import {
  receiveWebhook,
  type RepositoryResolver,
  type ScmPlugin,
  type ScmRegistry,
  type WebhookAnswer,
  type WebhookDelivery,
  type WebhookEvent,
} from '@interlock/scm';

export interface WebhookRequest extends WebhookDelivery {
  /** Namespace of the ScmProvider; absent for a ClusterScmProvider. */
  namespace?: string;
  provider: string;
}

export interface WebhookDependencies {
  client: Client;
  registry: ScmRegistry;
  resolver: RepositoryResolver;
  gitRepositories: CacheReader<GitRepository>;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Logger;
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
  const found = await findProvider(deps, request);
  if (found === undefined) return { code: 404, message: 'no such provider' };
  const { provider, secret } = found;
  const received = receiveWebhook([deps.registry.forProvider(provider.spec)], request, secret, refreshing);
  if ('answer' in received) return received.answer;
  const { plugin, event } = received;
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

type Provider = ScmProvider | ClusterScmProvider;

async function findProvider(
  { client, resolver }: WebhookDependencies,
  { namespace, provider: name }: WebhookRequest,
): Promise<{ provider: Provider; secret: string } | undefined> {
  try {
    const provider: Provider =
      namespace === undefined
        ? await client.get(ClusterScmProvider, { name })
        : await client.get(ScmProvider, { namespace, name });
    const data = await resolver.secret(provider, namespace);
    return { provider, secret: data['webhookSecret'] ?? '' };
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
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
