import { accessOf, maySee } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import type { Repository } from '../domain/model.js';
import type { RepositoryEndpoint } from './route.js';

/** How an API refuses a request for something in a repository. */
export interface Denials {
  /** A private repository is not there for a stranger. */
  hidden(): Error;
  forbidden(actor: Actor): Error;
  archived(repository: Repository): Error;
}

/** @returns the repository, when the actor may do in it what the endpoint does. @throws one of `denials`. */
export function admitted(
  repository: Repository | undefined,
  actor: Actor,
  reads: boolean,
  { resources, level }: Pick<RepositoryEndpoint<never>, 'resources' | 'level'>,
  denials: Denials,
): Repository {
  if (repository === undefined || !maySee(actor, repository)) throw denials.hidden();
  const levels = resources.map((resource) => accessOf(actor, repository, resource));
  if (!levels.some((has) => has === 'write' || has === level)) throw denials.forbidden(actor);
  // Its administrators can take it out of the archive.
  if (repository.archived && !reads && !resources.includes('administration')) {
    throw denials.archived(repository);
  }
  return repository;
}
