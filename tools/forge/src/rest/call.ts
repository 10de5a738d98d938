import type { Domain } from '../domain/domain.js';
import type { Hooks } from '../hooks/hooks.js';
import type { Request } from '../http/message.js';
import type { Answer } from './answer.js';
import type { RestLinks } from './links.js';
import type { Page } from './pages.js';
import type { RateLimits } from './rate-limit.js';

/** The dependencies of the resources of a REST API. */
export interface Services<L extends RestLinks> {
  domain: Domain;
  hooks: Hooks;
  links: L;
  limits: RateLimits;
}

/** The parts of a request. */
export interface Received<L extends RestLinks> {
  services: Services<L>;
  request: Request;
  /** The values of the route's variables. */
  parameters: Readonly<Record<string, string>>;
  /** The value of a JSON or form body; undefined if there is no body. */
  body: unknown;
}

/** A request to a resource. */
export abstract class RestCall<L extends RestLinks> {
  constructor(readonly received: Received<L>) {}

  /** Returns the error of the API for a missing resource. */
  protected abstract notFound(): Error;

  /** Returns the requested page of a list, with headers for the other pages. */
  abstract page<T>(items: readonly T[]): Page<T>;

  get services(): Services<L> {
    return this.received.services;
  }

  get domain(): Domain {
    return this.services.domain;
  }

  get links(): L {
    return this.services.links;
  }

  get query(): URLSearchParams {
    return this.received.request.query;
  }

  /** The URL without its query, for links to other pages. */
  get url(): string {
    return `${this.links.html}${this.received.request.path}`;
  }

  get body(): unknown {
    return this.received.body;
  }

  get parameters(): Readonly<Record<string, string>> {
    return this.received.parameters;
  }

  parameter(name: string): string {
    return this.parameters[name] ?? '';
  }

  /** @throws the error that `notFound` returns if the value is neither an id nor a number. */
  number(name: string): number {
    const text = this.parameter(name);
    if (!/^\d{1,15}$/.test(text)) throw this.notFound();
    return Number(text);
  }

  /** Returns a response with one page of a list, whose items `present` converts. */
  async list<T>(items: readonly T[], present: (item: T) => unknown): Promise<Answer> {
    const { items: part, headers } = this.page(items);
    return { status: 200, body: await Promise.all(part.map(present)), headers };
  }
}
