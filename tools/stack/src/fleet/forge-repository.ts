import type { AppHandle, Forge, RepositoryHandle } from '@interlock/forge';
import { LocalRepository } from '../git.js';
import { createForgeAccount, type ForgeAccount, type ScmName } from './scm-access.js';

interface ForgeRepositoryOptions {
  /** Login of the user, organization or group. */
  owner: string;
  name: string;
  /** Login of a user with write access. */
  writer: string;
}

/** A repository at the forge, with the credentials of the apps and of the test. */
interface ForgeRepository {
  repository: RepositoryHandle;
  account: ForgeAccount;
  local: LocalRepository;
}

/**
 * Creates a repository with an account for the apps, and a user with write access. A separate owner has a separate
 * installation of the GitHub App, whose writes do not count against the rate limits of other installations.
 */
export async function createForgeRepository(
  forge: Forge,
  scm: ScmName,
  app: AppHandle,
  { owner, name, writer }: ForgeRepositoryOptions,
): Promise<ForgeRepository> {
  const repository = await forge.createRepository({ owner, name });
  const account = await createForgeAccount(forge, scm, app, { owner, name });
  await forge.grant({ owner, name, login: writer, role: 'write' });
  return { repository, account, local: new LocalRepository(repository.path) };
}
