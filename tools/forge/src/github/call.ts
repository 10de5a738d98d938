import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { App, Level, Repository } from '../domain/model.js';
import type { Answer } from '../rest/answer.js';
import { RestCall, type Received } from '../rest/call.js';
import type { Page } from '../rest/pages.js';
import { repositoryEndpoint, type Handler, type RepositoryEndpoint, type RestRoute } from '../rest/route.js';
import type { GithubCaller } from './caller.js';
import { notFound, unprocessable } from './errors.js';
import type { Links } from './links.js';
import { pageOf } from './pagination.js';

/** A request to a resource. */
export class Call extends RestCall<Links> {
  get accept(): string {
    return this.received.request.headers.accept ?? '';
  }

  protected notFound(): Error {
    return notFound();
  }

  page<T>(items: readonly T[]): Page<T> {
    return pageOf(items, this.query, this.url);
  }

  /** Returns the validated body. @throws GithubError 422 with the text of GitHub */
  read<T extends z.ZodType>(schema: T, value = this.body): z.output<T> {
    const result = schema.safeParse(value ?? {});
    if (result.success) return result.data;
    const problems = result.error.issues.map(({ path, message, code }) => {
      const field = path.join('/');
      const missing = code === 'invalid_type' && message.endsWith('received undefined');
      return missing ? `"${field}" wasn't supplied.` : `For 'properties/${field}', ${message}.`;
    });
    throw unprocessable(`Invalid request.\n\n${problems.join('\n')}`);
  }
}

/** A request by a user or an installation. */
export class ActorCall extends Call {
  constructor(
    received: Received<Links>,
    readonly actor: Actor,
  ) {
    super(received);
  }
}

/** A request for a resource of a repository that the actor may see. */
export class RepositoryCall extends ActorCall {
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
export type Endpoint =
  | { who: 'anyone'; handle: (call: Call, caller: GithubCaller) => Answer | Promise<Answer> }
  | { who: 'app'; handle: (call: Call, app: App) => Answer | Promise<Answer> }
  | { who: 'actor'; handle: Handler<ActorCall> }
  | RepositoryEndpoint<RepositoryCall>;

export type GithubRoute = RestRoute<Endpoint>;

/**
 * Returns a resource of a repository.
 *
 * @param access what the caller needs, such as `contents:read`; alternatives are separated by `|`.
 */
export function repositoryRoute(
  name: string,
  access: `${string}:${Level}`,
  handle: Handler<RepositoryCall>,
): GithubRoute {
  return { name, endpoint: repositoryEndpoint(access, handle) };
}
