import {
  ClusterScmProvider,
  CommitStatus,
  commitStatusAt,
  GitRepository,
  keyOf,
  keyString,
  objectKey,
  repositoryKey,
  ScmProvider,
  type AnyScmProvider,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import type { Cache, Manager } from '@interlock/kube';
import { inOrder } from './combine.js';

/** The inputs of a decision. */
export interface ObservedCommitStatus {
  commitStatus: CommitStatus;
  /** The GitRepository that spec.repoRef names, if it exists. */
  gitRepository: GitRepository | undefined;
  /** The provider that the GitRepository names, if it exists. */
  provider: AnyScmProvider | undefined;
  /**
   * All CommitStatuses of the namespace with its repository, commit and name, including itself, in a stable order, as they count at
   * the time of the observation.
   */
  sharing: readonly CommitStatus[];
}

const repositoryIndex = 'repository';
const shownIndex = 'shown';

/** The CommitStatuses of the cluster, their GitRepositories, and the providers of these. */
export class CommitStatusCaches {
  readonly #commitStatuses: Cache<CommitStatus>;
  readonly #gitRepositories: Cache<GitRepository>;
  readonly #providers: Cache<ScmProvider>;
  readonly #clusterProviders: Cache<ClusterScmProvider>;

  constructor(manager: Pick<Manager, 'cache'>) {
    this.#commitStatuses = manager.cache(CommitStatus);
    this.#gitRepositories = manager.cache(GitRepository);
    this.#providers = manager.cache(ScmProvider);
    this.#clusterProviders = manager.cache(ClusterScmProvider);
    this.#commitStatuses.addIndex(repositoryIndex, (status) => [keyString(repositoryKey(status))]);
    this.#commitStatuses.addIndex(shownIndex, (status) => [shownKey(status)]);
  }

  /** @param now milliseconds since the epoch */
  observe(commitStatus: CommitStatus, now: number): ObservedCommitStatus {
    const gitRepository = this.#gitRepositories.get(repositoryKey(commitStatus));
    const provider = gitRepository && this.#providerOf(gitRepository);
    const sharing = inOrder(this.#sharing(commitStatus)).map((one) => commitStatusAt(one, now));
    return { commitStatus, gitRepository, provider, sharing };
  }

  #providerOf({ metadata: { namespace }, spec }: GitRepository): AnyScmProvider | undefined {
    const { kind, name } = spec.scmProviderRef;
    return kind === 'ClusterScmProvider'
      ? this.#clusterProviders.get({ name })
      : this.#providers.get(objectKey(namespace, name));
  }

  /**
   * Returns the CommitStatuses that a change of one concerns, of those that are shown as one with it. Only the first of them sends
   * the combined status; the others depend on what it has sent. If each woke all, many of them would take the product of their
   * numbers.
   */
  concernedBy(status: CommitStatus): ObjectKey[] {
    const sharing = this.#sharing(status);
    const first = sharing.reduce((a, b) => (b.metadata.name < a.metadata.name ? b : a), status);
    const isFirst = first.metadata.name === status.metadata.name;
    return (isFirst ? sharing : [first]).map(keyOf);
  }

  /** Returns all CommitStatuses that are shown as one with a CommitStatus, including itself, in no particular order. */
  #sharing(status: CommitStatus): CommitStatus[] {
    return this.#commitStatuses.byIndex(shownIndex, shownKey(status)).filter(isStaying);
  }

  /** Returns the repository that a CommitStatus names; undefined when there is no such CommitStatus. */
  repositoryOf(key: ObjectKey): ObjectKey | undefined {
    const commitStatus = this.#commitStatuses.get(key);
    return commitStatus && repositoryKey(commitStatus);
  }

  ofRepository(repository: KubeObject): ObjectKey[] {
    return this.#commitStatuses.byIndex(repositoryIndex, keyString(keyOf(repository))).map(keyOf);
  }

  /** Returns the CommitStatuses of the repositories that use a provider, which serves its own namespace if it has one. */
  ofProvider({ kind, metadata: { namespace, name } }: KubeObject): ObjectKey[] {
    return this.#gitRepositories
      .list({ namespace })
      .filter(({ spec: { scmProviderRef } }) => scmProviderRef.kind === kind && scmProviderRef.name === name)
      .flatMap((repository) => this.ofRepository(repository));
  }
}

/** Returns the key by which the SCM distinguishes statuses: repository, commit and name. */
function shownKey(status: CommitStatus): string {
  const { sha, name } = status.spec;
  return JSON.stringify([keyString(repositoryKey(status)), sha, name]);
}

function isStaying({ metadata }: CommitStatus): boolean {
  return metadata.deletionTimestamp === undefined;
}
