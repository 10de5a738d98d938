import { timeLimit } from '@interlock/base';
import type { CredentialsSource, HttpRequest, Transport } from '@interlock/kube';
import { createTransport } from '@interlock/kube';
import type { Body } from './body.js';
import { openWatch, type Watch } from './watch.js';

const callTimeoutMs = 20_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** A response of the API server with any status. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The texts of the `Warning` headers. */
  warnings: string[];
  body: Body;
  text: string;
}

export interface CallOptions {
  /** Query parameters; undefined parameters are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Default: `application/json`. */
  accept?: string;
  /** Default: `application/json`; for a patch, the media type of the patch. */
  contentType?: string;
  headers?: Readonly<Record<string, string | string[]>>;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A plain HTTP client of an API server, which does not interpret responses. */
export class Api {
  readonly #source: CredentialsSource;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(source: CredentialsSource, transport: Transport, signal: AbortSignal) {
    this.#source = source;
    this.#transport = transport;
    this.#signal = signal;
  }

  /** Returns the same client with another signal for its requests. */
  until(signal: AbortSignal): Api {
    return new Api(this.#source, this.#transport, signal);
  }

  /**
   * Returns a client with a bearer token instead of the credentials of the kubeconfig, or an anonymous client if the
   * token is undefined. The caller closes the client.
   */
  as(token: string | undefined): Api & { close(): Promise<void> } {
    const source = withToken(this.#source, token);
    const transport = createTransport(source);
    return Object.assign(new Api(source, transport, this.#signal), { close: () => transport.close() });
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('POST', path, body, options);
  }

  put(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PUT', path, body, options);
  }

  patch(path: string, type: PatchType, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PATCH', path, body, { contentType: patchTypes[type], ...options });
  }

  /** Server-side apply. */
  apply(path: string, fieldManager: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.patch(path, 'apply', body, { ...options, query: { fieldManager, ...options.query } });
  }

  delete(path: string, options?: CallOptions & { body?: unknown }): Promise<Answer> {
    return this.call('DELETE', path, options?.body, options);
  }

  /** Opens a watch. `query.watch` is set. */
  watch(path: string, options: CallOptions = {}): Promise<Watch> {
    const request = requestOf('GET', path, undefined, {
      ...options,
      query: { watch: true, timeoutSeconds: 60, ...options.query },
    });
    return openWatch(this.#transport, request, this.#signal);
  }

  /** Sends a request. A text body is sent unchanged, any other as JSON. */
  async call(
    method: HttpRequest['method'],
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const signal = timeLimit(callTimeoutMs, this.#signal);
    const response = await this.#transport.send('call', requestOf(method, path, body, options), signal);
    let text = '';
    response.body.setEncoding('utf8');
    for await (const chunk of response.body as AsyncIterable<string>) {
      text += chunk;
      if (text.length > maxAnswerBytes) throw new Error(`${method} ${path}: the answer exceeds 64 MiB`);
    }
    const { statusCode: status, headers } = response;
    return { status, headers, warnings: warningsOf(headers['warning']), text, body: parse(text) };
  }
}

function requestOf(
  method: HttpRequest['method'],
  path: string,
  body: unknown,
  { query = {}, accept = 'application/json', contentType = 'application/json', headers }: CallOptions,
): HttpRequest {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  const suffix = parameters.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${parameters.join('&')}`;
  return {
    method,
    path: path + suffix,
    headers: {
      accept,
      'user-agent': 'conformance/1.0',
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

function withToken(source: CredentialsSource, token: string | undefined): CredentialsSource {
  return {
    server: source.server,
    proxyUrl: source.proxyUrl,
    async current() {
      const { cert: _cert, key: _key, passphrase: _passphrase, ...tls } = (await source.current()).tls;
      return { tls, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } };
    },
    /* The token is part of a check: there is no other. */
    discard: () => undefined,
  };
}

/** Returns the texts of `Warning` headers (RFC 9110: `299 - "text"`), with quotes and escapes removed. */
function warningsOf(header: string | string[] | undefined): string[] {
  const lines = header === undefined ? [] : [header].flat();
  return lines.flatMap((line) =>
    [...line.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) =>
      quoted.slice(1, -1).replace(/\\(.)/g, '$1'),
    ),
  );
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}
