import {
  ClusterScmProvider,
  GitRepository,
  isTyped,
  keyString,
  ScmProvider,
  TypedError,
  type AnyScmProvider,
  type ObjectKey,
} from '@interlock/api';
import { Secret, type Client } from '@interlock/kube';
import { LRUCache } from 'lru-cache';
import { credentialData } from './credential-secret.js';
import type { ScmRegistry } from './registry.js';
import type { ScmRepository } from './scm.js';

/** A usable repository, and the names of its sources. */
interface ResolvedRepository {
  repository: ScmRepository;
  /** Name of the plugin, the key below `status.plugin`. */
  plugin: string;
  gitRepository: GitRepository;
}

const maxHosts = 10_000;

/**
 * Finds the account and the credential of GitRepositories. Secrets are read from the API server, not from a watch,
 * which would require the permission to read all of them. The client may serve other reads from caches (`cachedReads`).
 */
export class RepositoryResolver {
  readonly #hosts = new LRUCache<string, string>({ maxSize: maxHosts, sizeCalculation: () => 1 });

  readonly #client: Pick<Client, 'get'>;
  readonly #registry: ScmRegistry;

  constructor(client: Pick<Client, 'get'>, registry: ScmRegistry) {
    this.#client = client;
    this.#registry = registry;
  }

  /**
   * @throws TypedError with reason `GitRepositoryNotFound`, `ProviderNotFound`, `NamespaceNotAllowed`, `SecretNotFound`,
   *   `SecretTypeNotAllowed`, or of {@link ScmRegistry.repository}; the message names the field and the object.
   */
  async resolve(key: ObjectKey): Promise<ResolvedRepository> {
    const gitRepository = await this.#find(
      () => this.#client.get(GitRepository, key),
      'GitRepositoryNotFound',
      `spec.repoRef.name: GitRepository ${keyString(key)} does not exist; create it`,
    );
    const provider = await this.#provider(gitRepository);
    checkNamespace(provider, gitRepository.metadata.namespace ?? '');
    const secret = await this.secret(provider, gitRepository.metadata.namespace);
    const repository = this.#registry.repository(provider, secret, gitRepository);
    this.#hosts.set(keyString(key), hostOfUrl(repository.cloneUrl));
    return { repository, plugin: this.#registry.forProvider(provider.spec).name, gitRepository };
  }

  /**
   * Checks that a provider can be used: its section, its server and its Secret. It does not call an SCM.
   *
   * @throws TypedError as {@link resolve} throws it for a provider.
   */
  async check(provider: AnyScmProvider): Promise<void> {
    const secret = await this.secret(provider, provider.metadata.namespace);
    this.#registry.connect(provider, secret);
  }

  /** Returns the host of a repository when it was last resolved; undefined if it was not resolved yet. */
  hostOf(key: ObjectKey): string | undefined {
    return this.#hosts.get(keyString(key));
  }

  #provider(gitRepository: GitRepository): Promise<AnyScmProvider> {
    const { kind, name } = gitRepository.spec.scmProviderRef;
    const message = `spec.scmProviderRef: ${kind} ${name} does not exist; create it`;
    const { namespace } = gitRepository.metadata;
    return this.#find<AnyScmProvider>(
      () =>
        kind === 'ClusterScmProvider'
          ? this.#client.get(ClusterScmProvider, { name })
          : this.#client.get(ScmProvider, { name, namespace }),
      'ProviderNotFound',
      message,
    );
  }

  /** Returns the decoded data of the Secret of a provider; empty if it does not name one. */
  async secret(
    provider: AnyScmProvider,
    repositoryNamespace: string | undefined,
  ): Promise<Record<string, string>> {
    const { secretRef } = provider.spec;
    if (secretRef === undefined) return {};
    const namespace = 'namespace' in secretRef ? secretRef.namespace : repositoryNamespace;
    const key = { name: secretRef.name, namespace };
    const secret = await this.#find(
      () => this.#client.get(Secret, key),
      'SecretNotFound',
      `spec.secretRef of ${provider.kind} ${provider.metadata.name}: Secret ${keyString(key)} does not exist; create it`,
    );
    return credentialData(secret, `spec.secretRef of ${provider.kind} ${provider.metadata.name}`);
  }

  async #find<T>(read: () => Promise<T>, reason: string, message: string): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
      throw new TypedError('NotFound', message, { reason, cause: error });
    }
  }
}

/** Returns the host of a URL. All repositories in directories have the same, empty host. */
function hostOfUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** @throws TypedError `Unauthorized` when a ClusterScmProvider does not allow a namespace. */
function checkNamespace({ kind, metadata, spec }: AnyScmProvider, namespace: string): void {
  const allowed = 'allowedNamespaces' in spec ? spec.allowedNamespaces : undefined;
  if (allowed === undefined || allowed.includes('*') || allowed.includes(namespace)) return;
  throw new TypedError(
    'Unauthorized',
    `spec.scmProviderRef: ${kind} ${metadata.name} does not allow namespace ${namespace}; add it to its spec.allowedNamespaces`,
    { reason: 'NamespaceNotAllowed' },
  );
}
