import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../domain/refusal.js';
import { isRead, type Answer } from '../rest/answer.js';
import { parseJson } from '../rest/body.js';
import { tokenCaller, type TokenCaller } from '../rest/caller.js';
import { tokenOf } from '../rest/credentials.js';
import { RestProtocol, type Arrival, type RateLimit } from '../rest/protocol.js';
import { inRepository } from '../rest/in-repository.js';
import { Call, RepositoryCall, type Endpoint } from './call.js';
import { GiteaError, denials, errorOf, notFound } from './errors.js';
import type { Links } from './links.js';

/** The REST API of Gitea and Forgejo, version 1, under `/api/v1`. */
export class GiteaProtocol extends RestProtocol<Links, Endpoint, TokenCaller> {
  protected identify(headers: IncomingHttpHeaders): TokenCaller {
    return tokenCaller(this.services.domain, tokenOf(headers));
  }

  protected async handle(
    { request, found, body }: Arrival<Endpoint>,
    { actor }: TokenCaller,
  ): Promise<Answer> {
    if (actor === undefined) throw new GiteaError(401, 'token is required');
    if (found === undefined) throw notFound();
    if (body === undefined) throw new GiteaError(413, 'the body is too large');
    const { parameters, route } = found;
    const parsed = parseJson(body, () => new GiteaError(422, 'the body is not JSON'));
    const { services } = this;
    const call = new Call({ services, request, parameters, body: parsed }, actor);
    return this.#dispatch(call, route.value, isRead(request));
  }

  async #dispatch(call: Call, endpoint: Endpoint, reads: boolean): Promise<Answer> {
    if (endpoint.who === 'user') return endpoint.handle(call);
    const { actor, domain } = call;
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
    if (!(error instanceof GiteaError)) throw error;
    const url = `${this.services.links.html}/api/swagger`;
    return { status: error.status, headers: error.headers, body: { message: error.message, url } };
  }

  /**
   * Returns the refusal of a request beyond the rate limit. Gitea does not limit requests; the proxies of public
   * servers respond like this.
   */
  protected refusalForRate(_caller: TokenCaller, _limit: RateLimit, seconds = 60): Answer {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(seconds) };
    return { status: 429, body: 'Too many requests\n', headers };
  }

  protected headers(): Record<string, string> {
    return { 'cache-control': 'max-age=0, private, must-revalidate' };
  }

  protected isFree(): boolean {
    return false;
  }
}
