import type { Domain } from '../domain/domain.js';
import type { Account, Repository } from '../domain/model.js';

/**
 * Handles a request for something in a repository: repositories are read as they are on disk at that moment, and
 * changed by one request at a time.
 *
 * @param sender the account that events name for the changes of `work`.
 */
export async function within<T>(
  { core, references }: Domain,
  repository: Repository,
  access: { reads: boolean; sender: Account },
  work: () => Promise<T>,
): Promise<T> {
  if (access.reads) {
    await core.exclusive(repository, () => references.sync(repository));
    return work();
  }
  return core.exclusive(repository, async () => {
    await references.sync(repository);
    try {
      return await work();
    } finally {
      await references.sync(repository, access.sender);
    }
  });
}
