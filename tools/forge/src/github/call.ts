import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { App, Level, Repository, Resource } from '../domain/model.js';
import type { Hooks } from '../hooks/hooks.js';
import type { Answer } from '../rest/answer.js';
import type { RateLimits } from '../rest/rate-limit.js';
import type { Caller } from './caller.js';
import { GithubError, unprocessable } from './errors.js';
import type { Links } from './links.js';
import { pageOf, type Page } from './pagination.js';

/** What the resources of the REST API stand on. */
export interface Services {
  domain: Domain;
  hooks: Hooks;
  links: Links;
  limits: RateLimits;
}

/** One request to a resource. */
export class Call {
  constructor(
    readonly services: Services,
    /** The values of the route's variables. */
    readonly parameters: Readonly<Record<string, string>>,
    readonly query: URLSearchParams,
    readonly accept: string,
    /** The URL without its query, for links to other pages. */
    readonly url: string,
    readonly body: unknown,
  ) {}

  get domain(): Domain {
    return this.services.domain;
  }

  get links(): Links {
    return this.services.links;
  }

  parameter(name: string): string {
    return this.parameters[name] ?? '';
  }

  /** @throws GithubError 404 for what is no id or number. */
  number(name: string): number {
    const text = this.parameter(name);
    if (!/^\d{1,15}$/.test(text)) throw new GithubError(404, 'Not Found');
    return Number(text);
  }

  /** @returns the body, checked. @throws GithubError 422 in the words of GitHub. */
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

  /** @returns the part of a list that is asked for, with the `Link` header to the others. */
  page<T>(items: readonly T[]): Page<T> {
    return pageOf(items, this.query, this.url);
  }

  /** @returns an answer with one page of a list, each item as `present` gives it. */
  async list<T>(items: readonly T[], present: (item: T) => unknown): Promise<Answer> {
    const { items: part, headers } = this.page(items);
    return { status: 200, body: await Promise.all(part.map(present)), headers };
  }
}

/** A request by a user or an installation. */
export class ActorCall extends Call {
  constructor(
    call: Call,
    readonly actor: Actor,
  ) {
    super(call.services, call.parameters, call.query, call.accept, call.url, call.body);
  }
}

/** A request for something in a repository that the actor may see. */
export class RepositoryCall extends ActorCall {
  constructor(
    call: Call,
    actor: Actor,
    readonly repository: Repository,
  ) {
    super(call, actor);
  }

  get git() {
    return this.domain.core.git(this.repository);
  }
}

type Handler<C> = (call: C) => Answer | Promise<Answer>;

/** What a route asks of the caller, and what it does. */
export type Endpoint =
  | { who: 'anyone'; handle: (call: Call, caller: Caller) => Answer | Promise<Answer> }
  | { who: 'app'; handle: (call: Call, app: App) => Answer | Promise<Answer> }
  | { who: 'actor'; handle: Handler<ActorCall> }
  | { who: 'repository'; resource: readonly Resource[]; level: Level; handle: Handler<RepositoryCall> };

export interface GithubRoute {
  /** Method and template, such as `GET /repos/{owner}/{repo}`. */
  name: string;
  endpoint: Endpoint;
}

/** A resource of a repository. @param access what the caller needs, such as `contents:read`; any of several, split by `|`. */
export function repositoryRoute(
  name: string,
  access: `${string}:${Level}`,
  handle: Handler<RepositoryCall>,
): GithubRoute {
  const [names = '', level] = access.split(':');
  return {
    name,
    endpoint: {
      who: 'repository',
      resource: names.split('|') as Resource[],
      level: level === 'write' ? 'write' : 'read',
      handle,
    },
  };
}
