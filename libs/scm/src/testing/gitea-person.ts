import type { Forge, UserHandle } from '@interlock/forge';
import { request } from 'undici';

/** A person at Gitea: does with a token of their own what the plugin does otherwise, but not through the plugin. */
export class GiteaPerson {
  readonly login: string;
  readonly token: string;

  constructor(
    private readonly forge: Forge,
    { login, token }: UserHandle,
  ) {
    this.login = login;
    this.token = token;
  }

  /**
   * @param path below `/api/v1`.
   * @returns the body of the answer, undefined when it is empty. @throws Error for a refusal.
   */
  async ask<T>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: Record<string, unknown>,
  ): Promise<T | undefined> {
    const answer = await request(`${this.forge.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as T);
  }
}
