import type { AppHandle, Forge, RepositoryHandle } from '@interlock/forge';
import { LocalRepository } from '../git.js';
import { createForgeAccount, type ForgeAccount, type ScmName } from './scm-access.js';

interface ForgeRepositoryOptions {
  /** User, organisation or group. */
  owner: string;
  name: string;
  /** Login of a user who may write. */
  writer: string;
}

/** A repository at the forge, and how the apps and a test reach it. */
interface ForgeRepository {
  repository: RepositoryHandle;
  account: ForgeAccount;
  local: LocalRepository;
}

/**
 * Makes a repository with an account of the apps, and a user who may write. An owner of its own has an installation of the GitHub
 * App of its own: what is written there takes nothing from the pace of another.
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
