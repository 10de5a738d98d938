import type { IncomingHttpHeaders } from 'node:http';
import type { Reply, Request } from '../http/message.js';
import type { Protocol, Operation } from '../http/operation.js';
import { Router, type Found } from '../http/router.js';
import { describeBody } from '../journal.js';
import { conditional, isRead, replyOf, type Answer } from './answer.js';
import { bodyOf } from './body.js';
import type { Services } from './call.js';
import type { Caller } from './caller.js';
import type { RestLinks } from './links.js';
import type { Budget } from './rate-limit.js';
import type { RestRoute } from './route.js';

/** A request to an API, with the fields that all APIs use. */
export interface Arrival<E> {
  request: Request;
  /** Undefined if the API has no such route. */
  found: Found<E> | undefined;
  /** Undefined if the body is too large. */
  body: Buffer | undefined;
}

export type RateLimit = 'primary' | 'secondary';

/** A REST API: finds the endpoint, counts the request, and sends the response of the endpoint. */
export abstract class RestProtocol<
  L extends RestLinks,
  E extends { who: string },
  C extends Caller,
> implements Protocol {
  /** Headers of reads, which then have entity tags; undefined if reads have no entity tags. */
  protected readonly cacheControl: string | undefined = undefined;
  readonly #router: Router<E>;

  constructor(
    readonly services: Services<L>,
    routes: readonly RestRoute<E>[],
  ) {
    this.#router = new Router(
      routes.map(({ name, endpoint }) => {
        const [method = '', template = ''] = name.split(' ');
        return { method, template, value: endpoint };
      }),
    );
  }

  /** Returns the caller. `handle` responds to a refused caller. */
  protected abstract identify(headers: IncomingHttpHeaders): C;

  /** @throws errors that `answerOf` converts to responses of the API. */
  protected abstract handle(arrival: Arrival<E>, caller: C): Promise<Answer>;

  /** Returns a refusal. @throws errors of the forge itself */
  protected abstract answerOf(failure: unknown): Answer;

  /** @param seconds to wait, if known. */
  protected abstract refusalForRate(caller: C, limit: RateLimit, seconds: number | undefined): Answer;

  /** Returns the headers of all responses. */
  protected abstract headers(budget: Budget): Record<string, string>;

  /** Returns whether a request is not counted. Called before there is a response, and with the response. */
  protected abstract isFree(arrival: Arrival<E>, answer?: Answer): boolean;

  async operation(request: Request): Promise<Operation | undefined> {
    const { prefix } = this.services.links;
    if (request.path !== prefix && !request.path.startsWith(`${prefix}/`)) return undefined;
    const path = request.path.slice(prefix.length) || '/';
    const caller = this.identify(request.headers);
    const found = this.#router.find(request.method, path);
    const body = await bodyOf(request);
    const safe = isRead(request);
    // Requests for tokens and installations concern access, and do not change a repository.
    const access = found !== undefined && found.route.value.who !== 'repository';
    return {
      api: 'rest',
      kind: safe || access ? 'read' : 'write',
      saves: !safe,
      route: found?.route.template.replaceAll('+}', '}') ?? path,
      actor: caller.name,
      ...(body === undefined ? {} : describeBody(body)),
      run: () => this.#run({ request, found, body }, caller),
      refuseForRate: (limit, seconds) => this.#refuseForRate(caller, limit, seconds),
    };
  }

  async #run(arrival: Arrival<E>, caller: C): Promise<Reply> {
    const { limits } = this.services;
    const spent = limits.budget(caller.budget).remaining === 0;
    if (spent && !this.isFree(arrival)) return this.#refuseForRate(caller, 'primary');
    let answer: Answer;
    try {
      answer = await this.handle(arrival, caller);
    } catch (error) {
      answer = this.answerOf(error);
    }
    const { cacheControl } = this;
    if (cacheControl !== undefined) answer = conditional(arrival.request, answer, cacheControl);
    if (!this.isFree(arrival, answer)) limits.spend(caller.budget);
    return this.#reply(answer, caller);
  }

  #refuseForRate(caller: C, limit: RateLimit, seconds?: number): Reply {
    const { limits } = this.services;
    if (limit === 'primary') limits.exhaust(caller.budget, seconds);
    const wait = limit === 'primary' ? limits.secondsLeft(caller.budget) : seconds;
    return this.#reply(this.refusalForRate(caller, limit, wait), caller);
  }

  #reply(answer: Answer, { budget }: C): Reply {
    return replyOf(answer, this.headers(this.services.limits.budget(budget)));
  }
}
