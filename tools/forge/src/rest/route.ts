import type { Level, Resource } from '../domain/model.js';
import type { Answer } from './answer.js';

export type Handler<C> = (call: C) => Answer | Promise<Answer>;

/** A resource of a repository that requires access. */
export interface RepositoryEndpoint<C> {
  who: 'repository';
  /** Access to one of them is sufficient. */
  resources: readonly Resource[];
  level: Level;
  handle: Handler<C>;
}

/** A route of a REST API for one method and template. `E` contains the required access and the handler. */
export interface RestRoute<E> {
  /** Method and template, such as `GET /repos/{owner}/{repo}`. */
  name: string;
  endpoint: E;
}

/** @param access what the caller needs, such as `contents:read`; alternatives are separated by `|`. */
export function repositoryEndpoint<C>(
  access: `${string}:${Level}`,
  handle: Handler<C>,
): RepositoryEndpoint<C> {
  const [names = '', level] = access.split(':');
  return {
    who: 'repository',
    resources: names.split('|') as Resource[],
    level: level === 'write' ? 'write' : 'read',
    handle,
  };
}
