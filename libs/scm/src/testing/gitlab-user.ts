import { askForge, type Forge, type UserHandle } from '@interlock/forge';

/** A user of GitLab, who acts with a separate token, without the plugin. */
export class GitlabUser {
  readonly login: string;
  readonly token: string;
  readonly #forge: Forge;

  constructor(forge: Forge, { login, token }: UserHandle) {
    this.#forge = forge;
    this.login = login;
    this.token = token;
  }

  /** Returns the body of the response; `path` is below `/api/v4`. @throws Error for a refusal. */
  async ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: Record<string, unknown>): Promise<T> {
    return (await askForge(method, `${this.#forge.url}/api/v4${path}`, this, body)) as T;
  }
}
