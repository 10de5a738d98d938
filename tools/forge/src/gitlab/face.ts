import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { accessOf, maySee } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import type { Repository } from '../domain/model.js';
import { Refusal } from '../domain/refusal.js';
import { tokenOf } from '../rest/credentials.js';
import type { Reply, Request } from '../http/message.js';
import type { Face, Operation } from '../http/operation.js';
import { Router, type Found } from '../http/router.js';
import { describeBody } from '../journal.js';
import { conditional, isRead, replyOf, type Answer } from '../rest/answer.js';
import { bodyOf, parseJson } from '../rest/body.js';
import { within } from '../rest/within.js';
import { Call, ProjectCall, type Endpoint, type GitlabRoute, type Services } from './call.js';
import { GitlabError, ParameterError, errorOf, notFound } from './errors.js';

const prefix = '/api/v4';

/** GitLab's REST API, version 4, under `/api/v4`. */
export class GitlabFace implements Face {
  readonly #router: Router<Endpoint>;

  constructor(
    readonly services: Services,
    routes: readonly GitlabRoute[],
  ) {
    this.#router = new Router(
      routes.map(({ name, endpoint }) => {
        const [method = '', template = ''] = name.split(' ');
        return { method, template, value: endpoint };
      }),
    );
  }

  async operation(request: Request): Promise<Operation | undefined> {
    if (!request.path.startsWith(`${prefix}/`)) return undefined;
    const path = request.path.slice(prefix.length);
    const token = apiTokenOf(request.headers);
    const actor = token === undefined ? undefined : this.services.domain.accounts.authenticate(token);
    const found = this.#router.find(request.method, path);
    const body = await bodyOf(request);
    return {
      api: 'rest',
      kind: isRead(request) ? 'read' : 'write',
      route: found?.route.template.replaceAll('+}', '}') ?? path,
      actor: actor?.account.login ?? 'anonymous',
      ...(body === undefined ? {} : describeBody(body)),
      run: () => this.#run(request, actor, found, body),
      refuseForRate: (limit, seconds) => this.#refuseForRate(actor, limit, seconds),
    };
  }

  async #run(
    request: Request,
    actor: Actor | undefined,
    found: Found<Endpoint> | undefined,
    body: Buffer | undefined,
  ): Promise<Reply> {
    const { limits } = this.services;
    const key = budgetOf(actor);
    if (limits.budget(key).remaining === 0) return this.#refuseForRate(actor, 'primary');
    limits.spend(key);
    let answer: Answer;
    try {
      if (actor === undefined) throw new GitlabError(401, '401 Unauthorized');
      if (found === undefined) throw notFound();
      if (body === undefined) throw new GitlabError(413, '413 Request Entity Too Large');
      const url = `${this.services.links.html}${request.path}`;
      const parsed = parametersOf(request, body);
      const call = new Call(this.services, found.parameters, request.query, url, parsed, actor);
      answer = await this.#dispatch(call, found.route.value, isRead(request));
    } catch (error) {
      answer = answerOf(error);
    }
    return this.#reply(conditional(request, answer, 'max-age=0, private, must-revalidate'), actor);
  }

  async #dispatch(call: Call, endpoint: Endpoint, reads: boolean): Promise<Answer> {
    if (endpoint.who === 'user') return endpoint.handle(call);
    const { actor, domain } = call;
    const repository = this.#project(call.parameter('id'));
    // A private project is not there for a stranger.
    if (repository === undefined || !maySee(actor, repository)) throw notFound('Project');
    const level = accessOf(actor, repository, endpoint.resource);
    const archived = repository.archived && !reads && endpoint.resource !== 'administration';
    if ((level !== 'write' && level !== endpoint.level) || archived) {
      throw new GitlabError(403, '403 Forbidden');
    }
    const narrowed = new ProjectCall(call, repository);
    return within(domain, repository, { reads, sender: actor.account }, async () =>
      endpoint.handle(narrowed),
    );
  }

  /** A project is named by its id, or by its full path, which is one encoded part of the URL. */
  #project(id: string): Repository | undefined {
    const { core, repositories } = this.services.domain;
    return /^\d+$/.test(id)
      ? core.state.repositories.find((repository) => repository.id === Number(id))
      : repositories.findByPath(id);
  }

  /** GitLab, "Rate limits": 429, with the time to wait where a limit of the instance is met, without it elsewhere. */
  #refuseForRate(actor: Actor | undefined, limit: 'primary' | 'secondary', seconds?: number): Reply {
    const { limits } = this.services;
    const key = budgetOf(actor);
    if (limit === 'primary') limits.exhaust(key, seconds);
    const wait = limit === 'primary' ? limits.secondsLeft(key) : seconds;
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    };
    return this.#reply({ status: 429, body: 'Retry later\n', headers }, actor);
  }

  #reply(answer: Answer, actor: Actor | undefined): Reply {
    const { limit, remaining, used, reset } = this.services.limits.budget(budgetOf(actor));
    return replyOf(answer, {
      'ratelimit-limit': String(limit),
      'ratelimit-observed': String(used),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'x-gitlab-meta': '{"version":"1"}',
      'x-request-id': randomUUID(),
    });
  }
}

/** GitLab, "REST API authentication": `PRIVATE-TOKEN`, or a bearer token. */
function apiTokenOf(headers: IncomingHttpHeaders): string | undefined {
  const token = headers['private-token'];
  return typeof token === 'string' && token !== '' ? token : tokenOf(headers);
}

function budgetOf(actor: Actor | undefined): string {
  return actor === undefined ? 'nobody' : `user ${actor.account.id}`;
}

/** @throws GitlabError 400 */
function parametersOf(request: Request, body: Buffer): Readonly<Record<string, unknown>> {
  if (/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')) {
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  }
  const value = parseJson(body, () => new GitlabError(400, 'The body is not JSON'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function answerOf(failure: unknown): Answer {
  if (failure instanceof ParameterError) return { status: 400, body: { error: failure.message } };
  const error = failure instanceof Refusal ? errorOf(failure.reason) : failure;
  if (!(error instanceof GitlabError)) throw error;
  return { status: error.status, headers: error.headers, body: { message: error.said } };
}
