import type { RequestOptions } from '@gitbeaker/requester-utils';
import type {
  Branches,
  Commits,
  MergeRequestNotes,
  MergeRequests,
  MergeTrains,
  Projects,
  Repositories,
  Users,
} from '@gitbeaker/rest';
import { createFetch } from '../http/fetch.js';
import { GovernedHttp, type Answer, type Exchange, type Reply } from '../http/governed.js';
import type { ScmContext } from '../scm.js';
import { gitlabLimits, type GitlabAccount } from './account.js';
import { gitlabDialect } from './errors.js';

/** The resources of gitbeaker that are used here. */
interface Api {
  readonly Branches: Branches<false>;
  readonly Commits: Commits<false>;
  readonly MergeRequestNotes: MergeRequestNotes<false>;
  readonly MergeRequests: MergeRequests<false>;
  readonly MergeTrains: MergeTrains<false>;
  readonly Projects: Projects<false>;
  readonly Repositories: Repositories<false>;
  readonly Users: Users<false>;
}

/** One request, as a call of gitbeaker. A list must name its page, or gitbeaker would read further pages itself. */
export type Ask<T> = (api: Api) => Promise<T>;

type Handler = (url: string, options: RequestOptions) => Promise<Reply>;

/**
 * The REST API of one GitLab account: governed, measured, bounded in time, and with typed failures. gitbeaker builds the
 * requests; its own limiter, retries and HTTP client are not used.
 */
export class GitlabTransport {
  readonly #http: GovernedHttp;
  readonly #fetch: ReturnType<typeof createFetch>;

  readonly #context: ScmContext;

  constructor(
    readonly account: GitlabAccount,
    context: ScmContext,
  ) {
    this.#context = context;

    this.#http = new GovernedHttp(context, gitlabDialect);
    this.#fetch = createFetch({ dispatcher: context.dispatcher, timeoutMs: context.timeoutMs });
  }

  /** Returns the URL of a read, which identifies what it reads; nothing is sent. */
  async urlOf(ask: Ask<unknown>): Promise<string> {
    let seen = '';
    await this.#perform(ask, (url) => {
      seen = url;
      return Promise.resolve({ failure: undefined });
    });
    return seen;
  }

  /** Sends a request; see {@link GovernedHttp.send}. */
  send<T>(reads: boolean, exchange: Exchange, ask: Ask<T>): Promise<Answer<T>> {
    const governor = this.#context.governor(this.account.id, gitlabLimits);
    return this.#http.send<T>(governor, reads, exchange, () =>
      this.#perform(ask, (url, options) => this.#request(url, options, exchange)),
    );
  }

  /** Runs a call of gitbeaker with `handle` for HTTP. Returns the result of `handle`. */
  async #perform(ask: Ask<unknown>, handle: Handler): Promise<Reply> {
    let reply: Reply = { failure: new RangeError('the call of gitbeaker made no request') };
    const gitbeaker = await import('./gitbeaker.js');
    const requesterFn = gitbeaker.createRequesterFn(
      (_resource, options) => Promise.resolve(options),
      async (endpoint, options: RequestOptions = {}) => {
        const query = options.searchParams === undefined ? '' : `?${options.searchParams}`;
        const base = (options.prefixUrl ?? '').replace(/\/?$/, '/');
        reply = await handle(`${base}${endpoint}${query}`, options);
        // gitbeaker only passes the error on; the reply itself is used.
        return { body: {}, headers: {}, status: 200 };
      },
    );
    const { url: host, token } = this.account;
    const options = { host, token, requesterFn, queryTimeout: null, rateLimits: {} };
    await ask({
      Branches: new gitbeaker.Branches(options),
      Commits: new gitbeaker.Commits(options),
      MergeRequestNotes: new gitbeaker.MergeRequestNotes(options),
      MergeRequests: new gitbeaker.MergeRequests(options),
      MergeTrains: new gitbeaker.MergeTrains(options),
      Projects: new gitbeaker.Projects(options),
      Repositories: new gitbeaker.Repositories(options),
      Users: new gitbeaker.Users(options),
    });
    return reply;
  }

  async #request(url: string, options: RequestOptions, { signal, etag }: Exchange): Promise<Reply> {
    try {
      const response = await this.#fetch(url, {
        method: options.method ?? 'GET',
        headers: {
          accept: 'application/json',
          'user-agent': 'interlock',
          ...options.headers,
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
        ...(typeof options.body === 'string' ? { body: options.body } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
      const headers = Object.fromEntries(response.headers.entries());
      return { status: response.status, headers, data: dataOf(await response.text()) };
    } catch (failure) {
      return { failure };
    }
  }
}

/** Returns the value of a JSON body; any other body as it is. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
