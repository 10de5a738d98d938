import type { Domain } from '../domain/domain.js';
import type { Account, Repository } from '../domain/model.js';

/**
 * Handles a request about a repository. Reads use the current state on disk, and only one request at a time changes a
 * repository.
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
