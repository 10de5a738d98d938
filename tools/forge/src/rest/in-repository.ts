import { accessOf, maySee } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { Repository } from '../domain/model.js';
import type { Answer } from './answer.js';
import type { RepositoryEndpoint } from './route.js';
import { within } from './within.js';

/** The refusals of an API for a request about a repository. */
export interface Denials {
  /** Returns the error for users without access, for whom a private repository does not exist. */
  hidden(): Error;
  forbidden(actor: Actor): Error;
  archived(repository: Repository): Error;
}

/** A request for a resource of a repository. */
interface Access {
  domain: Domain;
  actor: Actor;
  /** Whether the request only reads. */
  reads: boolean;
  denials: Denials;
}

/**
 * Returns the answer of an endpoint to a request about a repository.
 *
 * @param named the repository that the request names; undefined if there is none
 * @param callOf creates the call of the endpoint, once the actor may make it
 * @throws one of the denials
 */
export async function inRepository<C>(
  named: Repository | undefined,
  endpoint: RepositoryEndpoint<C>,
  access: Access,
  callOf: (repository: Repository) => C,
): Promise<Answer> {
  const { domain, actor, reads } = access;
  const repository = admitted(named, endpoint, access);
  const call = callOf(repository);
  return within(domain, repository, { reads, sender: actor.account }, async () => endpoint.handle(call));
}

function admitted<C>(
  repository: Repository | undefined,
  { resources, level }: RepositoryEndpoint<C>,
  { actor, reads, denials }: Access,
): Repository {
  if (repository === undefined || !maySee(actor, repository)) throw denials.hidden();
  const levels = resources.map((resource) => accessOf(actor, repository, resource));
  if (!levels.some((has) => has === 'write' || has === level)) throw denials.forbidden(actor);
  // Its administrators can unarchive it.
  if (repository.archived && !reads && !resources.includes('administration')) {
    throw denials.archived(repository);
  }
  return repository;
}
