import { Octokit } from '@octokit/core';
import type { Endpoints, RequestParameters } from '@octokit/types';
import type { Governor } from '../governor/governor.js';
import { createFetch } from '../http/fetch.js';
import { GovernedHttp, type Answer, type Exchange, type Reply } from '../http/governed.js';
import type { ScmContext } from '../scm.js';
import { githubDialect } from './errors.js';
import { graphqlBase, type GraphqlAnswer } from './graphql.js';

export type Route = keyof Endpoints;
export type Parameters<R extends Route> = Endpoints[R]['parameters'];
/** The body of a successful answer. Octokit reads whole numbers beyond 2^53 as bigint; no id of GitHub is so large. */
export type Data<R extends Route> = WithoutBigint<Endpoints[R]['response']['data']>;
type WithoutBigint<T> = T extends bigint
  ? never
  : T extends object
    ? { [K in keyof T]: WithoutBigint<T[K]> }
    : T;

/** The authorization of a request: the header, and the governor of its credential. */
export interface Authorization {
  header: string;
  governor: Governor;
}

const apiVersion = '2022-11-28';

/**
 * The REST API of one GitHub host: governed, measured, bounded in time, and with typed failures. It does not hold a
 * credential.
 */
export class GithubTransport {
  readonly #http: GovernedHttp;
  readonly #graphql: GovernedHttp;
  readonly #graphqlUrl: string;
  readonly #octokit: Octokit;

  constructor(apiUrl: string, context: ScmContext) {
    this.#http = new GovernedHttp(context, githubDialect);
    this.#graphql = new GovernedHttp(context, { ...githubDialect, rateLimit: () => undefined });
    this.#graphqlUrl = graphqlBase(apiUrl);
    const quiet = (): void => undefined;
    this.#octokit = new Octokit({
      baseUrl: apiUrl,
      userAgent: 'interlock',
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      request: { fetch: createFetch({ dispatcher: context.dispatcher, timeoutMs: context.timeoutMs }) },
    });
  }

  /** Returns the URL of a request, which identifies what a GET reads. */
  urlOf<R extends Route>(route: R, parameters: Parameters<R>): string {
    return this.#octokit.request.endpoint(route, parameters).url;
  }

  /** Sends a request; see {@link GovernedHttp.send}. */
  send<R extends Route>(
    authorization: Authorization,
    route: R,
    parameters: Parameters<R>,
    exchange: Exchange,
  ): Promise<Answer<Data<R>>> {
    const reads = route.startsWith('GET ');
    return this.#http.send(authorization.governor, reads, exchange, () =>
      this.#request(authorization.header, route, { ...parameters }, exchange),
    );
  }

  /** Sends an operation of the GraphQL API, which has a separate rate limit. Returns the body of the response. */
  graphql<T>(
    authorization: Authorization,
    operation: { query: string; variables: Record<string, unknown> },
    exchange: Exchange,
  ): Promise<Answer<GraphqlAnswer<T>>> {
    const reads = operation.query.startsWith('query');
    const parameters = { baseUrl: this.#graphqlUrl, ...operation };
    return this.#graphql.send(authorization.governor, reads, exchange, () =>
      this.#request(authorization.header, 'POST /graphql', parameters, exchange),
    );
  }

  /** Sends one request through octokit, which reports failures in different ways. */
  async #request(
    header: string,
    route: string,
    parameters: RequestParameters,
    { signal, etag }: Exchange,
  ): Promise<Reply> {
    const options: RequestParameters = {
      ...parameters,
      headers: {
        authorization: header,
        'x-github-api-version': apiVersion,
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
      request: signal === undefined ? {} : { signal },
    };
    try {
      const { status, headers, data } = await this.#octokit.request<string>(route, options);
      return { status, headers, data };
    } catch (error) {
      if (isHttpError(error)) {
        const { status, headers, data } = error.response;
        return { status, headers, data };
      }
      return { failure: error };
    }
  }
}

interface HttpError {
  response: Exclude<Reply, { failure: unknown }>;
}

/** Returns whether an error has a response: octokit rejects with the response if there was one. */
function isHttpError(error: unknown): error is HttpError {
  return (
    typeof error === 'object' && error !== null && 'response' in error && typeof error.response === 'object'
  );
}
