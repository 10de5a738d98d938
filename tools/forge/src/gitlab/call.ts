import type { z } from 'zod';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { Level, Repository, Resource } from '../domain/model.js';
import type { Hooks } from '../hooks/hooks.js';
import type { Answer } from '../rest/answer.js';
import type { RateLimits } from '../rest/rate-limit.js';
import { ParameterError, notFound } from './errors.js';
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
    /** Of a JSON or form body. */
    readonly body: Readonly<Record<string, unknown>>,
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

  /** @throws GitlabError 404 for what is no id or number. */
  number(name: string): number {
    const text = this.parameter(name);
    if (!/^\d{1,15}$/.test(text)) throw notFound();
    return Number(text);
  }

  /** @returns the parameters in query and body, checked. @throws ParameterError in the words of GitLab. */
  read<T extends z.ZodType>(schema: T): z.output<T> {
    const result = schema.safeParse({ ...Object.fromEntries(this.query), ...this.body });
    if (result.success) return result.data;
    const problems = result.error.issues.map(({ path, message, code }) => {
      const missing = code === 'invalid_type' && message.endsWith('received undefined');
      return `${path.join('/')} is ${missing ? 'missing' : 'invalid'}`;
    });
    throw new ParameterError(problems.join(', '));
  }

  /** @returns an answer with the page of a list that is asked for, each item as `present` gives it. */
  async list<T>(items: readonly T[], present: (item: T) => unknown): Promise<Answer> {
    const { items: part, headers } = pageOf(items, this.query, this.url);
    return { status: 200, body: await Promise.all(part.map(present)), headers };
  }
}

/** A request for something in a project that the actor may see. */
export class ProjectCall extends Call {
  constructor(
    call: Call,
    readonly repository: Repository,
  ) {
    super(call.services, call.parameters, call.query, call.url, call.body, call.actor);
  }

  get git() {
    return this.domain.core.git(this.repository);
  }

  /** @returns the commit that a branch, a tag or an id names; undefined when there is none. */
  async commitOf(revision: string): Promise<string | undefined> {
    const { refs } = this.repository;
    const named = refs[`refs/heads/${revision}`] ?? refs[`refs/tags/${revision}`] ?? refs[revision];
    if (named !== undefined) return this.git.resolve(named);
    return /^[0-9a-f]{4,40}$/.test(revision) ? this.git.resolve(revision) : undefined;
  }
}

type Handler<C> = (call: C) => Answer | Promise<Answer>;

/** What a route asks of the caller, and what it does. */
export type Endpoint =
  | { who: 'user'; handle: Handler<Call> }
  | { who: 'project'; resource: Resource; level: Level; handle: Handler<ProjectCall> };

export interface GitlabRoute {
  /** Method and template, such as `GET /projects/{id}`. */
  name: string;
  endpoint: Endpoint;
}

/** @param access what the caller needs, such as `contents:read`. */
export function projectRoute(
  name: string,
  access: `${Resource}:${Level}`,
  handle: Handler<ProjectCall>,
): GitlabRoute {
  const [resource, level] = access.split(':') as [Resource, Level];
  return { name, endpoint: { who: 'project', resource, level, handle } };
}

export function userRoute(name: string, handle: Handler<Call>): GitlabRoute {
  return { name, endpoint: { who: 'user', handle } };
}
