import { isTyped, type TypedError } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { exchangeOf, whatOf, type Call } from '../http/call.js';
import type { Headers } from '../http/errors.js';
import { bodyOf, type Exchange } from '../http/governed.js';
import { readOnce, readThrough, type KnownReads } from '../http/known-reads.js';
import { allPages, hasNextPage, pageSize } from '../http/pages.js';
import type { ScmCaller } from '../metrics.js';
import { named } from '../refusals.js';
import type {
  AuthorizationRefusal,
  GithubAuthorization,
  GithubCredential,
  GithubRepositoryName,
} from './credential.js';
import { dataOf } from './graphql.js';
import type { Data, GithubTransport, Parameters, Route } from './transport.js';

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

  /** Returns the body of the response. */
  async send<R extends Route>(route: R, parameters: Parameters<R>, call: Call): Promise<Data<R>> {
    const send = (authorization: GithubAuthorization) =>
      this.transport.send(authorization, route, parameters, this.#exchange(call));
    return bodyOf(await this.#authorized(call, send));
  }

  /** Runs an operation of the GraphQL API. Returns its data. */
  async graphql<T>(query: string, variables: Record<string, unknown>, call: Call): Promise<T> {
    const answer = await this.#authorized(call, (authorization) =>
      this.transport.graphql<T>(authorization, { query, variables }, this.#exchange(call)),
    );
    return dataOf(this.whatOf(call), bodyOf(answer));
  }

  /** Reads conditionally, without using the rate limit when nothing has changed. Returns the parsed body. */
  read<R extends Route, T>(
    route: R,
    parameters: Parameters<R>,
    call: Call,
    parse: (data: Data<R>, headers: Headers) => T,
  ): Promise<T> {
    const url = this.transport.urlOf(route, parameters);
    return this.#authorized(call, (authorization) =>
      readThrough(
        this.known,
        `${authorization.id} ${url}`,
        (etag) => this.transport.send(authorization, route, parameters, { ...this.#exchange(call), etag }),
        parse,
      ),
    );
  }

  /** Reads a git object, which never changes and is therefore requested only once. Returns the parsed body. */
  async readObject<R extends Route, T>(
    route: R,
    parameters: Parameters<R>,
    call: Call,
    parse: (data: Data<R>) => T,
  ): Promise<T> {
    call.options?.signal?.throwIfAborted();
    const url = this.transport.urlOf(route, parameters);
    return this.#authorized(call, (authorization) =>
      readOnce(
        this.known,
        `${authorization.id} object ${url}`,
        () => this.transport.send(authorization, route, parameters, this.#exchange(call)),
        parse,
      ),
    );
  }

  /**
   * Returns all items that `itemsOf` finds in the bodies of all pages, each page stored in the form that `parse`
   * returns; see {@link allPages}.
   */
  list<R extends Route, I, T>(
    route: R,
    parameters: Parameters<R>,
    call: Call,
    itemsOf: (data: Data<R>) => I[],
    parse: (items: I[]) => T[],
  ): Promise<T[]> {
    return allPages(this.whatOf(call), (page) =>
      this.read(route, { ...parameters, per_page: pageSize, page }, call, (data, headers) => {
        const items = itemsOf(data);
        return { items: parse(items), more: hasNextPage(headers, items.length) };
      }),
    );
  }

  /** Runs work with a valid token: a token that GitHub no longer accepts, or that may have more permissions, is replaced once. */
  async #authorized<T>(call: Call, work: (authorization: GithubAuthorization) => Promise<T>): Promise<T> {
    const authorization = await this.authorize(call.options);
    try {
      return await work(authorization);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined || !this.credential.renew(authorization, refusal)) throw error;
    }
    return work(await this.authorize(call.options));
  }

  /** Returns an error that names the call, as the errors of {@link send} do. */
  named(call: Call, error: TypedError): TypedError {
    return named(this.whatOf(call), error);
  }

  /** Returns the description of a call and the repository, for messages. */
  whatOf(call: Call): string {
    return whatOf(call, this.#fullName);
  }

  #exchange(call: Call): Exchange {
    return exchangeOf(call, this.caller, this.#fullName);
  }

  get #fullName(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }
}

function refusalOf(error: unknown): AuthorizationRefusal | undefined {
  if (!isTyped(error, 'Unauthorized')) return undefined;
  const { reason } = error;
  return reason === 'BadCredentials' || reason === 'Forbidden' ? reason : undefined;
}
