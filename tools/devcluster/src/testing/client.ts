import { Agent, request, type Dispatcher } from 'undici';
import type { DevCluster } from '../devcluster.js';
import type { JsonObject } from '../schema/types.js';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: JsonObject;
  text: string;
}

export interface CallOptions {
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Default: the token of the administrator; '' for an anonymous request. */
  token?: string;
  userAgent?: string;
  /** Additional headers. */
  headers?: Record<string, string>;
}

/** A plain HTTPS client of a devcluster, for tests. */
export class TestClient {
  readonly #agent: Agent;

  readonly #cluster: Pick<DevCluster, 'url' | 'caCert' | 'adminToken'>;

  constructor(cluster: Pick<DevCluster, 'url' | 'caCert' | 'adminToken'>) {
    this.#cluster = cluster;

    this.#agent = new Agent({ connect: { ca: cluster.caCert } });
  }

  async call(method: Dispatcher.HttpMethod, path: string, options: CallOptions = {}): Promise<Reply> {
    const { statusCode, headers, body } = await request(`${this.#cluster.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: this.#headers(options),
      ...(options.body === undefined ? {} : { body: textOf(options.body) }),
    });
    const text = await body.text();
    return { status: statusCode, headers, text, body: parse(text) };
  }

  /** Reads the events of a watch until `enough` returns true or the server ends it. */
  async watch(
    path: string,
    enough: (events: readonly WatchEvent[]) => boolean = () => false,
    options: CallOptions = {},
  ): Promise<WatchEvent[]> {
    const { body } = await request(`${this.#cluster.url}${path}`, {
      dispatcher: this.#agent,
      headers: this.#headers(options),
    });
    const events: WatchEvent[] = [];
    let rest = '';
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const lines = `${rest}${chunk.toString()}`.split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
      if (enough(events)) break;
    }
    return events;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #headers({ contentType, accept, token, userAgent, body, headers }: CallOptions): Record<string, string> {
    const bearer = token ?? this.#cluster.adminToken;
    return {
      accept: accept ?? 'application/json',
      'user-agent': userAgent ?? 'devcluster-test/1',
      ...headers,
      ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    };
  }
}

export interface WatchEvent {
  type: string;
  object: JsonObject & { metadata: JsonObject };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
