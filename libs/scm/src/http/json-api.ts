import { TypedError } from '@interlock/api';
import { createFetch } from './fetch.js';
import type { Call } from './call.js';
import { exchangeOf, whatOf } from './call.js';
import { askedPause, statedLimit, typedRefusal, type Headers } from './errors.js';
import { GovernedHttp, bodyOf, type Dialect, type Exchange, type Reply } from './governed.js';
import type { Governor } from '../governor/governor.js';
import type { ScmCaller } from '../metrics.js';
import type { ScmContext } from '../scm.js';
import { allPages, type Page } from './pages.js';

export interface JsonRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the URL of the API, its parts already encoded; see {@link pathOf}. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: object | undefined;
}

interface JsonApiOptions {
  /** Without a slash at its end. */
  apiUrl: string;
  /** Value of the header `authorization`. */
  authorization: string;
  /** Governor of the credential. */
  governor: Governor;
  caller: ScmCaller;
  /** For messages: `owner/name`. */
  repository: string;
  /** Default: the result of {@link createDialect}. */
  dialect?: Dialect;
}

/** A JSON API with one credential: governed, measured, bounded in time and with typed failures. */
export class JsonApi {
  readonly #http: GovernedHttp;
  readonly #fetch: ReturnType<typeof createFetch>;

  constructor(
    context: ScmContext,
    readonly options: JsonApiOptions,
  ) {
    this.#http = new GovernedHttp(context, options.dialect ?? plainDialect);
    this.#fetch = createFetch({ dispatcher: context.dispatcher, timeoutMs: context.timeoutMs });
  }

  /** Returns the body of the response, `{}` if a change has none. @throws TypedError. */
  async send<T>(request: JsonRequest, call: Call): Promise<T> {
    return (await this.#answer<T>(request, call)).data;
  }

  /** Returns the parsed body of a read, with the headers of the response. @throws TypedError. */
  async read<T, R>(request: JsonRequest, call: Call, parse: (data: T, headers: Headers) => R): Promise<R> {
    const { data, headers } = await this.#answer<T>(request, call);
    return parse(data, headers);
  }

  /**
   * Returns the items of all pages; see {@link allPages}.
   * @param page returns the request for a page; the first is 1.
   */
  list<T, R>(
    page: (number: number) => JsonRequest,
    call: Call,
    parse: (data: T, headers: Headers, number: number) => Page<R>,
  ): Promise<R[]> {
    return allPages(whatOf(call, this.options.repository), (number) =>
      this.read<T, Page<R>>(page(number), call, (data, headers) => parse(data, headers, number)),
    );
  }

  async #answer<T>(request: JsonRequest, call: Call): Promise<{ data: T; headers: Headers }> {
    const { governor, caller, repository } = this.options;
    const exchange = exchangeOf(call, caller, repository);
    const reads = request.method === 'GET';
    const answer = await this.#http.send<T>(governor, reads, exchange, () =>
      this.#request(request, exchange),
    );
    return { data: bodyOf(answer), headers: answer.unchanged ? {} : answer.headers };
  }

  async #request({ method, path, query = {}, body }: JsonRequest, { signal }: Exchange): Promise<Reply> {
    const url = new URL(`${this.options.apiUrl}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = {
      accept: 'application/json',
      authorization: this.options.authorization,
      'user-agent': 'interlock',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await this.#fetch(url.href, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const { status } = response;
      const data = parsed(await response.text(), method);
      return { status, headers: Object.fromEntries(response.headers), data };
    } catch (error) {
      return { failure: error };
    }
  }
}

/** Returns a path of parts, each encoded. @throws TypedError `Invalid` for `.` and `..`, which would change the path. */
export function pathOf(...parts: readonly (string | number)[]): string {
  const relative = parts.find((part) => part === '.' || part === '..');
  if (relative !== undefined) {
    throw new TypedError('Invalid', `${JSON.stringify(relative)} cannot be part of a path`);
  }
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function parsed(text: string, method: string): unknown {
  if (text === '') return method === 'GET' ? undefined : {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const limitHeaders = 'x-ratelimit';

/**
 * Returns the dialect of servers that report refusals by the status, with a `message` in the body.
 * @param options.invalidReason returns the reason of an `Invalid` refusal, if its text states it.
 */
export function createDialect(
  options: { invalidReason?: (text: string) => string | undefined } = {},
): Dialect {
  return {
    rateLimit: (headers, now) => statedLimit(headers, limitHeaders, now),
    refusal(what, refusal, now) {
      const { status, headers } = refusal;
      const text = messageIn(refusal.body);
      return typedRefusal(what, refusal, now, {
        text,
        rateLimited: status === 429 || (status === 403 && headers['retry-after'] !== undefined),
        retryAfterMs: askedPause(headers, limitHeaders, now),
        invalidReason: options.invalidReason?.(text),
        movedHint: 'correct the repository in the GitRepository',
      });
    },
  };
}

const plainDialect = createDialect();

/** Returns the explanation in the body of a refusal. */
function messageIn(body: unknown): string {
  if (typeof body !== 'object' || body === null) return 'no explanation';
  const message = 'message' in body ? body.message : 'error' in body ? body.error : undefined;
  return typeof message === 'string' && message !== '' ? message : 'no explanation';
}
