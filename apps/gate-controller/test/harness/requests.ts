import { apiVersionOf, type Kind } from '@interlock/api';
import { Agent, request, type Dispatcher } from 'undici';
import type { Fixture } from './fixture.js';

export interface Answer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

/**
 * Plain requests to the API server of a fixture, for features that clients do not expose: other users, warnings, and
 * unchanged refusals.
 */
export class Requests {
  readonly #agent: Agent;

  readonly #fixture: Fixture;
  readonly #group: string;

  /**
   * Prepares requests to the API server of a fixture.
   *
   * @param group group of the users; defaults to one with all permissions
   */
  constructor(fixture: Fixture, group = 'system:masters') {
    this.#fixture = fixture;
    this.#group = group;

    this.#agent = new Agent({ connect: { ca: fixture.cluster.caCert } });
  }

  /**
   * @param user user of the requests
   * @param group group of the user; defaults to the group of these requests
   */
  async as(
    user: string,
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
    group = this.#group,
  ): Promise<Answer> {
    const { url, adminToken } = this.#fixture.cluster;
    return ask(`${url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${adminToken}`,
        'impersonate-user': user,
        'impersonate-group': group,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Creates an object of a kind in a namespace. */
  create(user: string, kind: Kind, namespace: string, name: string, fields: object): Promise<Answer> {
    const { metadata, ...rest } = fields as { metadata?: object };
    return this.as(user, 'POST', pathOf(kind, namespace), {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...metadata },
      ...rest,
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

/** Returns the path of a kind in a namespace, or of one object. */
export function pathOf(kind: Kind, namespace: string, name?: string): string {
  const collection = `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Sends a request and returns its JSON answer. */
export async function ask(
  url: string,
  options: Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & {
    dispatcher?: Dispatcher;
    method?: Dispatcher.HttpMethod;
  } = {},
): Promise<Answer> {
  /* Without keep-alive, so that no connection is left open when a test ends. */
  const { statusCode, headers, body } = await request(url, { reset: true, ...options });
  return { code: statusCode, headers, body: (await body.json()) as Answer['body'] };
}
