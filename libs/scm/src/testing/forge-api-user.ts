import type { Forge, UserHandle } from '@interlock/forge';
import { request } from 'undici';

/** A user of an API at the forge: acts with a separate token, without the plugin. */
export class ForgeApiUser {
  readonly login: string;
  readonly token: string;
  readonly #forge: Forge;

  constructor(forge: Forge, { login, token }: UserHandle) {
    this.#forge = forge;
    this.login = login;
    this.token = token;
  }

  /** Returns the text of a response. @throws Error for a refusal. */
  protected async send(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT',
    path: string,
    authorization: Record<string, string>,
    body?: Record<string, unknown>,
  ): Promise<string> {
    const answer = await request(`${this.#forge.url}${path}`, {
      method,
      headers: { ...authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  }
}
