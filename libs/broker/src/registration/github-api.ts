import type { CallPriority } from '../governor/governor.js';
import type { Endpoint } from '../governor/metrics.js';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { HttpAnswer } from '../http/exchange.js';
import type { HostRules } from '../hosts.js';
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

  /** Returns the answer to a call; a refused token is replaced once. @throws Refusal */
  async send(call: GithubCall, signal: AbortSignal): Promise<HttpAnswer> {
    const token = await this.#tokens.get(signal);
    try {
      return await this.#send(call, token, signal);
    } catch (error) {
      if (!isRefusal(error) || error.status !== 401) throw error;
      this.#tokens.invalidate(token);
      return this.#send(call, await this.#tokens.get(signal), signal);
    }
  }

  /** Returns the JSON of an answer, in which ids beyond 2^53 are strings. @throws Refusal */
  async read(call: GithubCall, signal: AbortSignal): Promise<unknown> {
    const { body } = await this.send(call, signal);
    const maxBytes = call.maxBytes ?? 1 << 20;
    return parseJson(body, { maxBytes, maxDepth: 64 }, `${call.what}: the answer`);
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
