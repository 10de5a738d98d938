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
import type {
  RepositoryResolver,
  ScmPlugin,
  ScmRegistry,
  WebhookEvent,
  WebhookHeaders,
} from '@interlock/scm';

export interface WebhookRequest {
  /** Namespace of the ScmProvider; absent for a ClusterScmProvider. */
  namespace?: string;
  provider: string;
  headers: WebhookHeaders;
  body: Buffer;
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

/** An HTTP status code and a sentence. */
export interface WebhookAnswer {
  code: 200 | 202 | 400 | 401 | 404;
  message: string;
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
  const plugin = deps.registry.forProvider(provider.spec);
  const { webhook } = plugin;
  if (!webhook.verify(request.headers, request.body, secret)) {
    return { code: 401, message: 'the signature does not match webhookSecret of the provider' };
  }
  let event: WebhookEvent;
  try {
    event = webhook.parse(request.headers, request.body);
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    return { code: 400, message: error.message };
  }
  if (!refreshing.includes(event.kind)) return { code: 200, message: 'nothing to do' };
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
