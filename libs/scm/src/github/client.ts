import { TypedError, isTyped } from '@interlock/api';
import type { LRUCache } from 'lru-cache';
import type { Priority } from '../governor/budget.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import type { CallOptions } from '../scm.js';
import type { GithubAuthorization, GithubCredential, GithubRepositoryName } from './credential.js';
import type { Answer, Data, GithubTransport, Headers, Parameters, Route } from './transport.js';

/** What earlier reads gave, by who read and what; the value is what was made of the body, not the body. */
export type KnownReads = LRUCache<string, { etag: string; value: unknown }>;

export interface Call extends ScmCall {
  /** The object, for messages, such as `pull request 7`; default: none. */
  object?: string;
  priority: Priority;
  options?: CallOptions | undefined;
}

const pageSize = 100;
const maxPages = 100;

/** The REST API, as seen by one credential for one repository. */
export class RepositoryClient {
  constructor(
    readonly transport: GithubTransport,
    readonly credential: GithubCredential,
    readonly repository: GithubRepositoryName,
    readonly caller: ScmCaller,
    readonly known: KnownReads,
  ) {}

  authorize(options: CallOptions = {}): Promise<GithubAuthorization> {
    const { repository, caller } = this;
    return this.credential.authorize(this.transport, { repository, caller, signal: options.signal });
  }

  /** @returns the body of the answer. */
  async send<R extends Route>(route: R, parameters: Parameters<R>, call: Call): Promise<Data<R>> {
    const { answer } = await this.#authorized(route, parameters, call);
    if (answer.unchanged) throw new RangeError('an unconditional request was answered as unchanged');
    return answer.data;
  }

  /** A read that costs nothing of the rate limit when nothing has changed. @returns what `parse` makes of the body. */
  async read<R extends Route, T>(
    route: R,
    parameters: Parameters<R>,
    call: Call,
    parse: (data: Data<R>, headers: Headers) => T,
  ): Promise<T> {
    const url = this.transport.urlOf(route, parameters);
    const { answer, key, entry } = await this.#authorized(route, parameters, call, url);
    if (answer.unchanged) {
      if (entry === undefined) throw new RangeError('an unconditional request was answered as unchanged');
      return entry.value as T;
    }
    const value = parse(answer.data, answer.headers);
    const { etag } = answer.headers;
    if (typeof etag === 'string') this.known.set(key, { etag, value });
    return value;
  }

  /**
   * All pages of what `itemsOf` finds in a body, each kept as `parse` makes it. A full page asks for a next one even
   * without a link to it: when an item is added behind it, the page itself, and so its ETag, stays the same.
   *
   * @throws TypedError `Permanent` beyond 10,000 items: a list is complete or it fails.
   */
  async list<R extends Route, I, T>(
    route: R,
    parameters: Parameters<R>,
    call: Call,
    itemsOf: (data: Data<R>) => I[],
    parse: (items: I[]) => T[],
  ): Promise<T[]> {
    const all: T[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const paged = { ...parameters, per_page: pageSize, page };
      const part = await this.read(route, paged, call, (data, headers) => {
        const items = itemsOf(data);
        const linked = /\brel="?next"?/.test(String(headers['link'] ?? ''));
        return { items: parse(items), more: linked || items.length === pageSize };
      });
      all.push(...part.items);
      if (!part.more) return all;
    }
    throw new TypedError('Permanent', `${this.#what(call)}: more than ${maxPages * pageSize} items`, {
      reason: 'TooMany',
    });
  }

  /** Sends with a token that works: one that GitHub no longer knows is replaced once. */
  async #authorized<R extends Route>(route: R, parameters: Parameters<R>, call: Call, url?: string) {
    for (let first = true; ; first = false) {
      const authorization = await this.authorize(call.options);
      const key = `${authorization.id} ${url ?? ''}`;
      const entry = url === undefined ? undefined : this.known.get(key);
      try {
        const answer: Answer<R> = await this.transport.send(authorization, route, parameters, {
          api: call.api,
          operation: call.operation,
          what: this.#what(call),
          caller: this.caller,
          priority: call.options?.priority ?? call.priority,
          signal: call.options?.signal,
          etag: entry?.etag,
        });
        return { answer, key, entry };
      } catch (error) {
        const stale = first && isTyped(error, 'Unauthorized') && error.reason === 'BadCredentials';
        if (!stale || !this.credential.renew(authorization)) throw error;
      }
    }
  }

  #what({ operation, object }: Call): string {
    const { owner, name } = this.repository;
    return `${operation} ${object ?? ''}${object === undefined ? '' : ' '}of ${owner}/${name}`;
  }
}
