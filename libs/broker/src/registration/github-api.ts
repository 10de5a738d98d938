import type { CallPriority } from '../governor/governor.js';
import type { Endpoint } from '../governor/metrics.js';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { HttpAnswer } from '../http/exchange.js';
import type { HostRules } from '../hosts.js';
import { Fields } from '../wire/fields.js';
import { absoluteUrl } from '../wire/absolute-url.js';
import { parseJson } from '../wire/json.js';
import { isRefusal } from '../wire/refusal.js';
import type { AppTokens } from './app-tokens.js';
import type { GithubTarget } from './github-url.js';

interface GithubCall {
  endpoint: Endpoint;
  priority: CallPriority;
  what: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** The path below the base of the API, with the query. */
  path: string;
  body?: unknown;
  maxBytes?: number | undefined;
}

const perPage = 100;
const maxPageBytes = 8 << 20;
const maxRedirects = 3;
/** The redirects after which the same call is repeated at their target. */
const repeatedRedirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** Client of GitHub's REST API, authenticated as the installation of the App. */
export class GithubApi {
  readonly target: GithubTarget;
  readonly #tokens: AppTokens;
  readonly #caller: ServiceCaller;
  readonly #hosts: HostRules;

  constructor(target: GithubTarget, tokens: AppTokens, caller: ServiceCaller, hosts: HostRules) {
    this.target = target;
    this.#tokens = tokens;
    this.#caller = caller;
    this.#hosts = hosts;
  }

  /** Returns a client with the same credential for another owner at the same host. */
  withTarget(target: GithubTarget): GithubApi {
    return new GithubApi(target, this.#tokens, this.#caller, this.#hosts);
  }

  /**
   * Returns the answer to a call. A refused token is replaced once, and so is a token whose permissions do not suffice, because the
   * permission may have been granted since the token was issued.
   *
   * @throws Refusal
   */
  async send(call: GithubCall, signal: AbortSignal): Promise<HttpAnswer> {
    const token = await this.#tokens.get(signal);
    try {
      return await this.#send(call, token, signal);
    } catch (error) {
      const successor = await this.#successorAfter(error, token, signal);
      if (successor === undefined) throw error;
      return this.#send(call, successor, signal);
    }
  }

  /** Returns the token with which a call is repeated; undefined when another token would not help. @throws TypedError */
  async #successorAfter(error: unknown, token: string, signal: AbortSignal): Promise<string | undefined> {
    if (isRefusal(error, 'AccessDenied')) return this.#tokens.successorOf(token, signal);
    if (!isRefusal(error) || error.status !== 401) return undefined;
    this.#tokens.invalidate(token);
    return this.#tokens.get(signal);
  }

  /** Returns the JSON of an answer, in which ids beyond 2^53 are strings. @throws Refusal */
  async read(call: GithubCall, signal: AbortSignal): Promise<unknown> {
    return jsonOf(await this.send(call, signal), call.what, call.maxBytes ?? 1 << 20);
  }

  /**
   * Returns the items of a list, from up to `maxPages` pages. The header Link states whether a page is the last one; a service may
   * have smaller pages than requested.
   *
   * @param call its path ends with `?` or `&`
   * @param field the name of the list in each page
   * @throws Refusal
   */
  async list(call: GithubCall, field: string, maxPages: number, signal: AbortSignal): Promise<Fields[]> {
    const items: Fields[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const path = `${call.path}per_page=${perPage}&page=${page}`;
      const answer = await this.send({ maxBytes: maxPageBytes, ...call, path }, signal);
      const found = new Fields(jsonOf(answer, call.what, maxPageBytes)).list(field);
      items.push(...found.map((item) => new Fields(item)));
      const { link } = answer.headers;
      const hasNext = link === undefined ? found.length >= perPage : isNextIn(String(link));
      if (!hasNext || found.length === 0) break;
    }
    return items;
  }

  /**
   * Follows redirects within the API: GitHub answers with a redirect after an organization or a repository was renamed, and requests
   * that clients repeat the call.
   */
  async #send(call: GithubCall, token: string, signal: AbortSignal): Promise<HttpAnswer> {
    let url = this.#hosts.checkApi(this.target.apiUrl + call.path);
    for (let redirects = 0; ; redirects++) {
      try {
        return await this.#sendTo(url, call, token, signal);
      } catch (error) {
        const target = redirects < maxRedirects ? this.#redirectOf(error, url) : undefined;
        if (target === undefined) throw error;
        url = target;
      }
    }
  }

  /** Returns the target of a redirect; undefined for other errors, and for a target that may not receive the token. */
  #redirectOf(error: unknown, from: URL): URL | undefined {
    if (!isRefusal(error) || !repeatedRedirects.has(error.status) || error.location === undefined)
      return undefined;
    try {
      return this.#hosts.checkApi(absoluteUrl(error.location, from.href));
    } catch {
      return undefined;
    }
  }

  #sendTo(url: URL, call: GithubCall, token: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { endpoint, priority, what, method, maxBytes } = call;
    return this.#caller.call(
      {
        ...{ endpoint, priority, what, method, url, maxBytes },
        token,
        headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
      },
      signal,
    );
  }
}

function jsonOf({ body }: HttpAnswer, what: string, maxBytes: number): unknown {
  return parseJson(body, `${what}: the answer`, { maxBytes, maxDepth: 64 });
}

/** Returns whether the value of a header Link has the link of a next page (RFC 8288). */
function isNextIn(link: string): boolean {
  return /;\s*rel="?next\b/i.test(link);
}
