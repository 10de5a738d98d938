import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { Level, Repository, Resource } from '../domain/model.js';
import type { Hooks } from '../hooks/hooks.js';
import type { Answer } from '../rest/answer.js';
import type { RateLimits } from '../rest/rate-limit.js';
import { GiteaError, notFound } from './errors.js';
import type { Links } from './links.js';
import { pageOf } from './pagination.js';

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
    /** The URL without its query, for links to other pages. */
    readonly url: string,
    readonly body: unknown,
    readonly actor: Actor,
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

  /** @throws GiteaError 404 for what is no id or number. */
  number(name: string): number {
    const text = this.parameter(name);
    if (!/^\d{1,15}$/.test(text)) throw notFound();
    return Number(text);
  }

  /** @returns the body, checked. @throws GiteaError 422. */
  read<T extends z.ZodType>(schema: T): z.output<T> {
    const result = schema.safeParse(this.body ?? {});
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new GiteaError(422, `[${issue?.path.join('.') ?? ''}]: ${issue?.message ?? 'Invalid'}`);
  }

  /** @returns an answer with the page of a list that is asked for, each item as `present` gives it. */
  async list<T>(items: readonly T[], present: (item: T) => unknown): Promise<Answer> {
    const { items: part, headers } = pageOf(items, this.query, this.url);
    return { status: 200, body: await Promise.all(part.map(present)), headers };
  }
}

/** A request for something in a repository that the actor may see. */
export class RepositoryCall extends Call {
  constructor(
    call: Call,
    readonly repository: Repository,
  ) {
    super(call.services, call.parameters, call.query, call.url, call.body, call.actor);
  }

  get git() {
    return this.domain.core.git(this.repository);
  }
}

type Handler<C> = (call: C) => Answer | Promise<Answer>;

/** What a route asks of the caller, and what it does. */
export type Endpoint =
  | { who: 'user'; handle: Handler<Call> }
  | { who: 'repository'; resource: Resource; level: Level; handle: Handler<RepositoryCall> };

export interface GiteaRoute {
  /** Method and template, such as `GET /repos/{owner}/{repo}`. */
  name: string;
  endpoint: Endpoint;
}

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
  const [resource, level] = access.split(':') as [Resource, Level];
  return { name: `${method} ${repository}${path}`, endpoint: { who: 'repository', resource, level, handle } };
}

export function userRoute(name: string, handle: Handler<Call>): GiteaRoute {
  return { name, endpoint: { who: 'user', handle } };
}
