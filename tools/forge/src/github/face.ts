import { randomBytes } from 'node:crypto';
import { accessOf, maySee } from '../domain/access.js';
import { Refusal } from '../domain/refusal.js';
import type { Reply, Request } from '../http/message.js';
import type { Face, Operation } from '../http/operation.js';
import { Router, type Found } from '../http/router.js';
import { describeBody } from '../journal.js';
import { conditional, isRead, replyOf, type Answer } from '../rest/answer.js';
import { bodyOf, parseJson } from '../rest/body.js';
import { within } from '../rest/within.js';
import { ActorCall, Call, RepositoryCall, type Endpoint, type GithubRoute, type Services } from './call.js';
import { budgetOf, identify, nameOf, type Caller } from './caller.js';
import { GithubError, docs, errorOf, notFound } from './errors.js';

const prefix = '/api/v3';

/** GitHub's REST API, version 2022-11-28, under `/api/v3` as on a GitHub Enterprise Server. */
export class GithubFace implements Face {
  readonly #router: Router<Endpoint>;

  constructor(
    readonly services: Services,
    routes: readonly GithubRoute[],
  ) {
    this.#router = new Router(
      routes.map(({ name, endpoint }) => {
        const [method = '', template = ''] = name.split(' ');
        return { method, template, value: endpoint };
      }),
    );
  }

  async operation(request: Request): Promise<Operation | undefined> {
    if (request.path !== prefix && !request.path.startsWith(`${prefix}/`)) return undefined;
    const path = request.path.slice(prefix.length) || '/';
    const caller = identify(this.services.domain, request.headers);
    const found = this.#router.find(request.method, path);
    const body = await bodyOf(request);
    const safe = isRead(request);
    // Tokens and installations are about access: they change nothing in a repository.
    const access = found !== undefined && found.route.value.who !== 'repository';
    return {
      api: 'rest',
      kind: safe || access ? 'read' : 'write',
      saves: !safe,
      route: found?.route.template.replaceAll('+}', '}') ?? path,
      actor: nameOf(caller),
      ...(body === undefined ? {} : describeBody(body)),
      run: () => this.#run(request, caller, found, body),
      refuseForRate: (limit, retryAfter) => this.#refuseForRate(caller, limit, retryAfter),
    };
  }

  async #run(
    request: Request,
    caller: Caller,
    found: Found<Endpoint> | undefined,
    body: Buffer | undefined,
  ): Promise<Reply> {
    const { limits } = this.services;
    const { key } = budgetOf(caller);
    // Asking for the budget is free, as are reads that find nothing new.
    const free = found?.route.template === '/rate_limit';
    if (!free && limits.budget(key).remaining === 0) return this.#refuseForRate(caller, 'primary');
    let answer: Answer;
    try {
      if (caller.kind === 'refused') throw caller.error;
      if (found === undefined) throw notFound();
      if (body === undefined) throw new GithubError(413, 'Payload too large');
      answer = await this.#dispatch(caller, found, this.#call(request, found, body));
    } catch (error) {
      answer = answerOf(error);
    }
    answer = conditional(request, answer, 'private, max-age=60, s-maxage=60');
    if (!free && answer.status !== 304) limits.spend(key);
    return this.#reply(answer, caller);
  }

  #call(request: Request, { parameters }: Found<Endpoint>, body: Buffer): Call {
    const url = `${this.services.links.html}${request.path}`;
    const accept = request.headers.accept ?? '';
    return new Call(this.services, parameters, request.query, accept, url, parseJson(body, malformed));
  }

  async #dispatch(caller: Caller, { route }: Found<Endpoint>, call: Call): Promise<Answer> {
    const endpoint = route.value;
    if (endpoint.who === 'anyone') return endpoint.handle(call, caller);
    if (endpoint.who === 'app') {
      if (caller.kind !== 'app') throw new GithubError(401, 'A JSON web token could not be decoded');
      return endpoint.handle(call, caller.app);
    }
    // A private repository is not there for a stranger.
    if (caller.kind === 'nobody' && endpoint.who === 'repository') throw notFound();
    if (caller.kind !== 'actor') throw new GithubError(401, 'Requires authentication');
    if (endpoint.who === 'actor') return endpoint.handle(new ActorCall(call, caller.actor));
    return this.#inRepository(caller.actor, endpoint, call, route.method);
  }

  async #inRepository(
    actor: ActorCall['actor'],
    endpoint: Extract<Endpoint, { who: 'repository' }>,
    call: Call,
    method: string,
  ): Promise<Answer> {
    const repository = this.services.domain.repositories.find(
      call.parameter('owner'),
      call.parameter('repo'),
    );
    if (repository === undefined || !maySee(actor, repository)) throw notFound();
    const levels = endpoint.resource.map((resource) => accessOf(actor, repository, resource));
    if (!levels.some((level) => level === 'write' || level === endpoint.level)) {
      const of = actor.installation === undefined ? 'personal access token' : 'integration';
      throw new GithubError(403, `Resource not accessible by ${of}`);
    }
    // Its administrators can take it out of the archive.
    if (method !== 'GET' && repository.archived && !endpoint.resource.includes('administration')) {
      throw new GithubError(403, 'Repository was archived so is read-only.');
    }
    const narrowed = new RepositoryCall(call, actor, repository);
    const access = { reads: method === 'GET', sender: actor.account };
    return within(this.services.domain, repository, access, async () => endpoint.handle(narrowed));
  }

  #refuseForRate(caller: Caller, limit: 'primary' | 'secondary', seconds?: number): Reply {
    const { key, owner } = budgetOf(caller);
    if (limit === 'primary') {
      this.services.limits.exhaust(key, seconds);
      const documentation = `${docs}/overview/rate-limits-for-the-rest-api`;
      const message = `API rate limit exceeded for ${owner}.`;
      return this.#reply(answerOf(new GithubError(403, message, { documentation })), caller);
    }
    const error = new GithubError(
      403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      {
        documentation: `${docs}/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits`,
        headers: { 'retry-after': String(seconds ?? 60) },
      },
    );
    return this.#reply(answerOf(error), caller);
  }

  #reply(answer: Answer, caller: Caller): Reply {
    const { limit, remaining, used, reset } = this.services.limits.budget(budgetOf(caller).key);
    return replyOf(answer, {
      'x-github-api-version-selected': '2022-11-28',
      'x-github-enterprise-version': '3.17.0',
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': randomBytes(8).toString('hex').toUpperCase(),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-resource': 'core',
    });
  }
}

function answerOf(failure: unknown): Answer {
  const error = failure instanceof Refusal ? errorOf(failure.reason) : failure;
  if (!(error instanceof GithubError)) throw error;
  const { errors, documentation, headers } = error.details;
  return {
    status: error.status,
    ...(headers === undefined ? {} : { headers }),
    body: {
      message: error.message,
      ...(errors === undefined ? {} : { errors }),
      documentation_url: documentation ?? docs,
      status: String(error.status),
    },
  };
}

function malformed(): GithubError {
  return new GithubError(400, 'Problems parsing JSON');
}
