import type { Actor } from './accounts.js';
import type { Installation, Level, Repository, Resource, Role } from './model.js';

/**
 * Returns the access of the actor to a resource of the repository: `read`, `write`, or undefined. The token of an
 * installation is limited to the account, the repositories and the permissions of the installation.
 */
export function accessOf(actor: Actor, repository: Repository, resource: Resource): Level | undefined {
  return actor.installation === undefined
    ? levelOf(roleOf(actor, repository), resource)
    : installationAccess(actor, actor.installation, repository, resource);
}

/** Returns whether the actor may see that the repository exists. */
export function maySee(actor: Actor, repository: Repository): boolean {
  return accessOf(actor, repository, 'metadata') !== undefined;
}

export function covers(installation: Installation, repository: Repository): boolean {
  const selected = installation.repositoryIds?.includes(repository.id) ?? true;
  return selected && installation.accountId === repository.ownerId;
}

function installationAccess(
  { token }: Actor,
  installation: Installation,
  repository: Repository,
  resource: Resource,
): Level | undefined {
  const selected = token.repositoryIds?.includes(repository.id) ?? true;
  if (!selected || !covers(installation, repository)) return undefined;
  const granted = installation.permissions[resource];
  const narrowed = token.permissions === undefined ? granted : token.permissions[resource];
  if (granted !== undefined && narrowed !== undefined) {
    return granted === 'write' && narrowed === 'write' ? 'write' : 'read';
  }
  return resource === 'metadata' ? 'read' : undefined;
}

/** Returns the role of a user. The owner is an administrator; all others have their granted role. */
export function roleOf({ account }: Pick<Actor, 'account'>, repository: Repository): Role | undefined {
  if (account.id === repository.ownerId) return 'admin';
  return repository.collaborators.find(({ accountId }) => accountId === account.id)?.role;
}

function levelOf(role: Role | undefined, resource: Resource): Level | undefined {
  if (role === undefined) return undefined;
  if (resource === 'repository_hooks') return role === 'admin' ? 'write' : undefined;
  if (resource === 'administration') return role === 'admin' ? 'write' : 'read';
  return role === 'read' ? 'read' : 'write';
}
