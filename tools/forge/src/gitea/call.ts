import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { Level, Repository, Resource } from '../domain/model.js';
import { RestCall, type Received } from '../rest/call.js';
import type { Page } from '../rest/pages.js';
import { repositoryEndpoint, type Handler, type RepositoryEndpoint, type RestRoute } from '../rest/route.js';
import { GiteaError, notFound } from './errors.js';
import type { Links } from './links.js';
import { pageOf } from './pagination.js';

/** A request to a resource. */
export class Call extends RestCall<Links> {
  constructor(
    received: Received<Links>,
    readonly actor: Actor,
  ) {
    super(received);
  }

  protected notFound(): Error {
    return notFound();
  }

  page<T>(items: readonly T[]): Page<T> {
    return pageOf(items, this.query, this.url);
  }

  /** Returns the validated body. @throws GiteaError 422 */
  read<T extends z.ZodType>(schema: T): z.output<T> {
    const result = schema.safeParse(this.body ?? {});
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new GiteaError(422, `[${issue?.path.join('.') ?? ''}]: ${issue?.message ?? 'Invalid'}`);
  }
}

/** A request for a resource of a repository that the actor may see. */
export class RepositoryCall extends Call {
  constructor(
    received: Received<Links>,
    actor: Actor,
    readonly repository: Repository,
  ) {
    super(received, actor);
  }

  get git() {
    return this.domain.core.git(this.repository);
  }
}

/** The access that a route requires, and its handler. */
export type Endpoint = { who: 'user'; handle: Handler<Call> } | RepositoryEndpoint<RepositoryCall>;

export type GiteaRoute = RestRoute<Endpoint>;

const repository = '/repos/{owner}/{repo}';

/**
 * @param name method and the path below the repository, such as `GET /pulls`.
 * @param access what the caller needs, such as `contents:read`.
 */
export function repositoryRoute(
  name: string,
  access: `${Resource}:${Level}`,
  handle: Handler<RepositoryCall>,
): GiteaRoute {
  const [method = '', path = ''] = name.split(' ');
  return { name: `${method} ${repository}${path}`, endpoint: repositoryEndpoint(access, handle) };
}

export function userRoute(name: string, handle: Handler<Call>): GiteaRoute {
  return { name, endpoint: { who: 'user', handle } };
}
