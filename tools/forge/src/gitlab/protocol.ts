import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Repository } from '../domain/model.js';
import { Refusal } from '../domain/refusal.js';
import type { Request } from '../http/message.js';
import { isRead, type Answer } from '../rest/answer.js';
import { parseJson } from '../rest/body.js';
import { tokenCaller, type TokenCaller } from '../rest/caller.js';
import { tokenOf } from '../rest/credentials.js';
import { RestProtocol, type Arrival, type RateLimit } from '../rest/protocol.js';
import type { Budget } from '../rest/rate-limit.js';
import { inRepository } from '../rest/in-repository.js';
import { Call, ProjectCall, type Endpoint } from './call.js';
import { GitlabError, ParameterError, denials, errorOf, notFound } from './errors.js';
import type { Links } from './links.js';

/** GitLab's REST API, version 4, under `/api/v4`. */
export class GitlabProtocol extends RestProtocol<Links, Endpoint, TokenCaller> {
  protected override readonly cacheControl = 'max-age=0, private, must-revalidate';

  /** Returns the caller (GitLab, "REST API authentication"): by `PRIVATE-TOKEN`, or by a bearer token. */
  protected identify(headers: IncomingHttpHeaders): TokenCaller {
    const token = headers['private-token'];
    const isGiven = typeof token === 'string' && token !== '';
    return tokenCaller(this.services.domain, isGiven ? token : tokenOf(headers));
  }

  protected async handle(
    { request, found, body }: Arrival<Endpoint>,
    { actor }: TokenCaller,
  ): Promise<Answer> {
    if (actor === undefined) throw new GitlabError(401, '401 Unauthorized');
    if (found === undefined) throw notFound();
    if (body === undefined) throw new GitlabError(413, '413 Request Entity Too Large');
    const { parameters, route } = found;
    const { services } = this;
    const call = new Call({ services, request, parameters, body: valueOf(request, body) }, actor);
    return this.#dispatch(call, route.value, isRead(request));
  }

  async #dispatch(call: Call, endpoint: Endpoint, reads: boolean): Promise<Answer> {
    if (endpoint.who === 'user') return endpoint.handle(call);
    const { actor, domain } = call;
    return inRepository(
      this.#project(call.parameter('id')),
      endpoint,
      { domain, actor, reads, denials },
      (project) => new ProjectCall(call.received, actor, project),
    );
  }

  /** Returns a project by its id, or by its full path, which is one encoded segment of the URL. */
  #project(id: string): Repository | undefined {
    const { core, repositories } = this.services.domain;
    return /^\d+$/.test(id)
      ? core.state.repositories.find((repository) => repository.id === Number(id))
      : repositories.findByPath(id);
  }

  protected answerOf(failure: unknown): Answer {
    if (failure instanceof ParameterError) return { status: 400, body: { error: failure.message } };
    const error = failure instanceof Refusal ? errorOf(failure.reason) : failure;
    if (!(error instanceof GitlabError)) throw error;
    return { status: error.status, headers: error.headers, body: { message: error.said } };
  }

  /**
   * Returns the refusal of a request beyond a rate limit (GitLab, "Rate limits"): 429, with the time to wait only if
   * the limit of the instance is exceeded.
   */
  protected refusalForRate(_caller: TokenCaller, _limit: RateLimit, seconds?: number): Answer {
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    };
    return { status: 429, body: 'Retry later\n', headers };
  }

  protected headers({ limit, remaining, used, reset }: Budget): Record<string, string> {
    return {
      'ratelimit-limit': String(limit),
      'ratelimit-observed': String(used),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'x-gitlab-meta': '{"version":"1"}',
      'x-request-id': randomUUID(),
    };
  }

  protected isFree(): boolean {
    return false;
  }
}

/** Returns the value of a JSON or form body. @throws GitlabError 400 */
function valueOf(request: Request, body: Buffer): unknown {
  if (/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')) {
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  }
  return parseJson(body, () => new GitlabError(400, 'The body is not JSON'));
}
