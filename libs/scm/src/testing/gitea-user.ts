import { askForge, type Forge, type UserHandle } from '@interlock/forge';

/** A user of Gitea, who acts with a separate token, without the plugin. */
export class GiteaUser {
  readonly login: string;
  readonly token: string;
  readonly #forge: Forge;

  constructor(forge: Forge, { login, token }: UserHandle) {
    this.#forge = forge;
    this.login = login;
    this.token = token;
  }

  /** Returns the body of the response, or undefined if it is empty; `path` is below `/api/v1`. @throws Error for a refusal. */
  async ask<T>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: Record<string, unknown>,
  ): Promise<T | undefined> {
    return (await askForge(method, `${this.#forge.url}/api/v1${path}`, this, body)) as T | undefined;
  }
}
