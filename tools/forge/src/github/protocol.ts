import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../domain/refusal.js';
import { isRead, type Answer } from '../rest/answer.js';
import { parseJson } from '../rest/body.js';
import type { Request } from '../http/message.js';
import type { Operation } from '../http/operation.js';
import { RestProtocol, type Arrival, type RateLimit } from '../rest/protocol.js';
import type { Budget } from '../rest/rate-limit.js';
import { inRepository } from '../rest/in-repository.js';
import { ActorCall, Call, RepositoryCall, type Endpoint } from './call.js';
import { identify, type GithubCaller } from './caller.js';
import { GithubError, denials, docs, errorOf, notFound } from './errors.js';
import type { Links } from './links.js';

const graphqlPath = '/api/graphql';

/** GitHub's REST API, version 2022-11-28, under `/api/v3` as on a GitHub Enterprise Server. */
export class GithubProtocol extends RestProtocol<Links, Endpoint, GithubCaller> {
  protected override readonly cacheControl = 'private, max-age=60, s-maxage=60';

  /** Returns the operation of a request. GraphQL has a separate path beside the REST API. */
  override operation(request: Request): Promise<Operation | undefined> {
    const { prefix } = this.services.links;
    return super.operation(
      request.path === graphqlPath ? { ...request, path: `${prefix}/graphql` } : request,
    );
  }

  protected identify(headers: IncomingHttpHeaders): GithubCaller {
    return identify(this.services.domain, headers);
  }

  protected async handle({ request, found, body }: Arrival<Endpoint>, caller: GithubCaller): Promise<Answer> {
    if (caller.kind === 'refused') throw caller.error;
    if (found === undefined) throw notFound();
    if (body === undefined) throw new GithubError(413, 'Payload too large');
    const { parameters, route } = found;
    const parsed = parseJson(body, () => new GithubError(400, 'Problems parsing JSON'));
    const { services } = this;
    const call = new Call({ services, request, parameters, body: parsed });
    return this.#dispatch(caller, route.value, call, isRead(request));
  }

  async #dispatch(caller: GithubCaller, endpoint: Endpoint, call: Call, reads: boolean): Promise<Answer> {
    if (endpoint.who === 'anyone') return endpoint.handle(call, caller);
    if (endpoint.who === 'app') {
      if (caller.kind !== 'app') throw new GithubError(401, 'A JSON web token could not be decoded');
      return endpoint.handle(call, caller.app);
    }
    // A private repository does not exist for users without access.
    if (caller.kind === 'nobody' && endpoint.who === 'repository') throw notFound();
    if (caller.kind !== 'actor') throw new GithubError(401, 'Requires authentication');
    if (endpoint.who === 'actor') return endpoint.handle(new ActorCall(call.received, caller.actor));
    const { actor } = caller;
    const { domain } = call;
    const named = domain.repositories.find(call.parameter('owner'), call.parameter('repo'));
    return inRepository(
      named,
      endpoint,
      { domain, actor, reads, denials },
      (repository) => new RepositoryCall(call.received, actor, repository),
    );
  }

  protected answerOf(failure: unknown): Answer {
    const error = failure instanceof Refusal ? errorOf(failure.reason) : failure;
    if (!(error instanceof GithubError)) throw error;
    const { errors, documentation, headers } = error.details;
    return {
      status: error.status,
      headers,
      body: {
        message: error.message,
        ...(errors === undefined ? {} : { errors }),
        documentation_url: documentation ?? docs,
        status: String(error.status),
      },
    };
  }

  protected refusalForRate({ owner }: GithubCaller, limit: RateLimit, seconds = 60): Answer {
    const documentation = `${docs}/overview/rate-limits-for-the-rest-api`;
    if (limit === 'primary') {
      const message = `API rate limit exceeded for ${owner}.`;
      return this.answerOf(new GithubError(403, message, { documentation }));
    }
    return this.answerOf(
      new GithubError(
        403,
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
        {
          documentation: `${documentation}#about-secondary-rate-limits`,
          headers: { 'retry-after': String(seconds) },
        },
      ),
    );
  }

  protected headers({ limit, remaining, used, reset }: Budget): Record<string, string> {
    return {
      'x-github-api-version-selected': '2022-11-28',
      'x-github-enterprise-version': '3.17.0',
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': randomBytes(8).toString('hex').toUpperCase(),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-resource': 'core',
    };
  }

  /** Requests for the rate limit, and reads of unchanged resources, are not counted. */
  protected isFree({ found }: Arrival<Endpoint>, answer?: Answer): boolean {
    return found?.route.template === '/rate_limit' || answer?.status === 304;
  }
}
