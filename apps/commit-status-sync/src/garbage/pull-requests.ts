import {
  keyOf,
  keyString,
  objectKey,
  type GitRepository,
  type ObjectKey,
  type PullRequest,
} from '@interlock/api';
import type { Cache } from '@interlock/kube';

const repositoryIndex = 'garbage repository of pull request';

/**
 * The PullRequests of repositories, so that the change of one does not cost time for each pair of a namespace. One that does not
 * name its repository may belong to any of its namespace.
 */
export class PullRequestsByRepository {
  readonly #pullRequests: Cache<PullRequest>;
  readonly #gitRepositories: Pick<Cache<GitRepository>, 'list'>;

  /** Adds an index to a cache that does not run yet. */
  constructor(pullRequests: Cache<PullRequest>, gitRepositories: Pick<Cache<GitRepository>, 'list'>) {
    this.#pullRequests = pullRequests;
    this.#gitRepositories = gitRepositories;
    pullRequests.addIndex(repositoryIndex, (pullRequest) => [keyString(repositoryOf(pullRequest))]);
  }

  of(repository: ObjectKey): PullRequest[] {
    const { namespace } = repository;
    return [repository, objectKey(namespace, '')].flatMap((key) =>
      this.#pullRequests.byIndex(repositoryIndex, keyString(key)),
    );
  }

  /** Returns the repositories that a PullRequest may belong to. */
  repositoriesOf(pullRequest: PullRequest): ObjectKey[] {
    const repository = repositoryOf(pullRequest);
    if (repository.name !== '') return [repository];
    return this.#gitRepositories.list({ namespace: repository.namespace }).map(keyOf);
  }
}

/** Returns the key of the repository that a PullRequest names; its name is empty if there is none. */
function repositoryOf({ metadata, spec }: PullRequest): ObjectKey {
  return objectKey(metadata.namespace, spec.repoRef?.name ?? '');
}
