import { accessOf, maySee } from '../domain/access.js';
import type { Actor } from '../domain/accounts.js';
import { Refusal } from '../domain/refusal.js';
import { tokenOf } from '../rest/credentials.js';
import type { Reply, Request } from '../http/message.js';
import type { Face, Operation } from '../http/operation.js';
import { Router, type Found } from '../http/router.js';
import { describeBody } from '../journal.js';
import { isRead, replyOf, type Answer } from '../rest/answer.js';
import { bodyOf, parseJson } from '../rest/body.js';
import { within } from '../rest/within.js';
import { Call, RepositoryCall, type Endpoint, type GiteaRoute, type Services } from './call.js';
import { GiteaError, errorOf, notFound } from './errors.js';

const prefix = '/api/v1';

/** The REST API of Gitea and Forgejo, version 1, under `/api/v1`. */
export class GiteaFace implements Face {
  readonly #router: Router<Endpoint>;

  constructor(
    readonly services: Services,
    routes: readonly GiteaRoute[],
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
    const token = tokenOf(request.headers);
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
    const { limits, links } = this.services;
    const key = budgetOf(actor);
    if (limits.budget(key).remaining === 0) return this.#refuseForRate(actor, 'primary');
    limits.spend(key);
    try {
      if (actor === undefined) throw new GiteaError(401, 'token is required');
      if (found === undefined) throw notFound();
      if (body === undefined) throw new GiteaError(413, 'the body is too large');
      const parsed = parseJson(body, () => new GiteaError(422, 'the body is not JSON'));
      const url = `${links.html}${request.path}`;
      const call = new Call(this.services, found.parameters, request.query, url, parsed, actor);
      return this.#reply(await this.#dispatch(call, found.route.value, isRead(request)));
    } catch (error) {
      return this.#reply(this.#answerOf(error));
    }
  }

  async #dispatch(call: Call, endpoint: Endpoint, reads: boolean): Promise<Answer> {
    if (endpoint.who === 'user') return endpoint.handle(call);
    const { actor, domain } = call;
    const repository = domain.repositories.find(call.parameter('owner'), call.parameter('repo'));
    // A private repository is not there for a stranger.
    if (repository === undefined || !maySee(actor, repository)) throw notFound();
    const level = accessOf(actor, repository, endpoint.resource);
    if (level !== 'write' && level !== endpoint.level) {
      throw new GiteaError(403, 'user should have a permission to write to the repository');
    }
    if (repository.archived && !reads && endpoint.resource !== 'administration') {
      throw new GiteaError(423, `${repository.name} is archived`);
    }
    const narrowed = new RepositoryCall(call, repository);
    return within(domain, repository, { reads, sender: actor.account }, async () =>
      endpoint.handle(narrowed),
    );
  }

  /** Gitea counts nothing; what stands before the public servers answers like this. */
  #refuseForRate(actor: Actor | undefined, limit: 'primary' | 'secondary', seconds?: number): Reply {
    const { limits } = this.services;
    const key = budgetOf(actor);
    if (limit === 'primary') limits.exhaust(key, seconds);
    const wait = limit === 'primary' ? limits.secondsLeft(key) : (seconds ?? 60);
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(wait) };
    return this.#reply({ status: 429, body: 'Too many requests\n', headers });
  }

  #answerOf(failure: unknown): Answer {
    const error = failure instanceof Refusal ? errorOf(failure.reason) : failure;
    if (!(error instanceof GiteaError)) throw error;
    const url = `${this.services.links.html}/api/swagger`;
    return { status: error.status, headers: error.headers, body: { message: error.message, url } };
  }

  #reply(answer: Answer): Reply {
    return replyOf(answer, { 'cache-control': 'max-age=0, private, must-revalidate' });
  }
}

function budgetOf(actor: Actor | undefined): string {
  return actor === undefined ? 'nobody' : `user ${actor.account.id}`;
}
