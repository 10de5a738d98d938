import { TypedError } from '@interlock/api';
import type { HostPolicy } from './hosts.js';
import type { RepositoryRef, ScmContext, ScmRepository } from './scm.js';

/** Returns a context that connects to `origins` only: a plugin cannot send a credential anywhere else. */
export function boundContext(context: ScmContext, origins: readonly string[]): ScmContext {
  return {
    ...context,
    dispatcher(origin) {
      if (origins.includes(origin)) return context.dispatcher(origin);
      throw new TypedError('Unauthorized', `${origin} is not a server of the provider`, {
        reason: 'HostNotAllowed',
      });
    },
  };
}

/**
 * Returns a repository that has a credential for git only if its URL is at one of `origins`: an author of a GitRepository
 * cannot choose where the credential of a provider is sent.
 *
 * @throws TypedError as {@link HostPolicy.check} when its URL is at a server that may not be dialled.
 */
export function boundRepository(
  repository: ScmRepository,
  { name }: RepositoryRef,
  origins: readonly string[],
  policy: HostPolicy | undefined,
): ScmRepository {
  if (repository.onDisk === true) return withoutGitCredentials(repository);
  const { origin } = new URL(repository.cloneUrl);
  if (origins.includes(origin)) return repository;
  policy?.check(origin, `GitRepository ${name}`);
  return withoutGitCredentials(repository);
}

/** Returns the repository without credentials for git. Other methods keep their receiver: a plugin may use private fields. */
function withoutGitCredentials(repository: ScmRepository): ScmRepository {
  return new Proxy(repository, {
    get(target, property) {
      if (property === 'gitCredentials') return () => Promise.resolve(undefined);
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
