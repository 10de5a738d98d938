import type { Level, Resource } from '../domain/model.js';
import type { Answer } from './answer.js';

export type Handler<C> = (call: C) => Answer | Promise<Answer>;

/** Something in a repository that the caller must be allowed to see. */
export interface RepositoryEndpoint<C> {
  who: 'repository';
  /** Access to any of them is enough. */
  resources: readonly Resource[];
  level: Level;
  handle: Handler<C>;
}

/** What a REST API answers to one method and template; `E` says what it asks of the caller, and what it does. */
export interface RestRoute<E> {
  /** Method and template, such as `GET /repos/{owner}/{repo}`. */
  name: string;
  endpoint: E;
}

/** @param access what the caller needs, such as `contents:read`; any of several resources, split by `|`. */
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
