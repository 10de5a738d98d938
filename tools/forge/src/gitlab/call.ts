import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { Level, Repository, Resource } from '../domain/model.js';
import { RestCall, type Received } from '../rest/call.js';
import type { Page } from '../rest/pages.js';
import { repositoryEndpoint, type Handler, type RepositoryEndpoint, type RestRoute } from '../rest/route.js';
import { ParameterError, notFound } from './errors.js';
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

  /** Returns the validated parameters of query and body. @throws ParameterError with the text of GitLab */
  read<T extends z.ZodType>(schema: T): z.output<T> {
    const given = typeof this.body === 'object' ? this.body : {};
    const result = schema.safeParse({ ...Object.fromEntries(this.query), ...given });
    if (result.success) return result.data;
    const problems = result.error.issues.map(({ path, message, code }) => {
      const missing = code === 'invalid_type' && message.endsWith('received undefined');
      return `${path.join('/')} is ${missing ? 'missing' : 'invalid'}`;
    });
    throw new ParameterError(problems.join(', '));
  }
}

/** A request for a resource of a project that the actor may see. */
export class ProjectCall extends Call {
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

  /** Returns the commit that a branch, a tag or an id names; undefined when there is none. */
  async commitOf(revision: string): Promise<string | undefined> {
    const { refs } = this.repository;
    const named = refs[`refs/heads/${revision}`] ?? refs[`refs/tags/${revision}`] ?? refs[revision];
    if (named !== undefined) return this.git.resolve(named);
    return /^[0-9a-f]{4,40}$/.test(revision) ? this.git.resolve(revision) : undefined;
  }
}

/** The access that a route requires, and its handler. */
export type Endpoint = { who: 'user'; handle: Handler<Call> } | RepositoryEndpoint<ProjectCall>;

export type GitlabRoute = RestRoute<Endpoint>;

/** @param access what the caller needs, such as `contents:read`. */
export function projectRoute(
  name: string,
  access: `${Resource}:${Level}`,
  handle: Handler<ProjectCall>,
): GitlabRoute {
  return { name, endpoint: repositoryEndpoint(access, handle) };
}

export function userRoute(name: string, handle: Handler<Call>): GitlabRoute {
  return { name, endpoint: { who: 'user', handle } };
}
